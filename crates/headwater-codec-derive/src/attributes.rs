//! The attributes, parsed.

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Attribute, Expr, ExprLit, ExprUnary, Ident, Lit, LitInt, LitStr, UnOp};

use crate::range::Range;

/// What stands on a struct.
pub(crate) struct StructAttributes {
    pub(crate) role: Role,
    pub(crate) versions: Range,
    pub(crate) stable: Range,
    pub(crate) advertised: Range,
    /// `None` when the struct goes with its message.
    pub(crate) flexible: Option<Range>,
    /// Kafka's name, when the struct has another.
    pub(crate) name: Option<String>,
}

/// What a struct is for.
pub(crate) enum Role {
    Request(Ident),
    Response(Ident),
    Data(Option<u32>),
    Nested,
}

impl StructAttributes {
    pub(crate) fn parse(attributes: &[Attribute], span: Span) -> syn::Result<Self> {
        let (mut api, mut request, mut response, mut data, mut type_id) = (None, false, false, false, None);
        let (mut versions, mut flexible, mut stable, mut advertise, mut name) =
            (None, None, None, None, None);
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("message")) {
            attribute.parse_nested_meta(|meta| {
                match meta.path.require_ident()?.to_string().as_str() {
                    "api" => api = Some(meta.value()?.parse::<Ident>()?),
                    "request" => request = true,
                    "response" => response = true,
                    "data" => data = true,
                    "type_id" => type_id = Some(meta.value()?.parse::<LitInt>()?.base10_parse()?),
                    "versions" => versions = Some(Range::parse(&meta.value()?.parse()?)?),
                    "flexible" => flexible = Some(Range::parse(&meta.value()?.parse()?)?),
                    "stable" => stable = Some(Range::parse(&meta.value()?.parse()?)?),
                    "advertise" => advertise = Some(Range::parse(&meta.value()?.parse()?)?),
                    "name" => name = Some(meta.value()?.parse::<LitStr>()?.value()),
                    _ => return Err(meta.error("unknown attribute of a message")),
                }
                Ok(())
            })?;
        }
        let role = match (api, request, response, data) {
            (Some(api), true, false, false) => Role::Request(api),
            (Some(api), false, true, false) => Role::Response(api),
            (None, false, false, true) => Role::Data(type_id),
            (None, false, false, false) => Role::Nested,
            _ => {
                return Err(syn::Error::new(
                    span,
                    "a message is `api = ..` with `request` or `response`, or `data`",
                ));
            }
        };
        if !matches!(role, Role::Nested) && (versions.is_none() || flexible.is_none()) {
            return Err(syn::Error::new(span, "a message says its `versions` and its `flexible` ones"));
        }
        let versions = versions.unwrap_or(Range::ALL);
        let stable = stable.map_or(versions, |stable: Range| stable.intersection(versions));
        Ok(Self { role, versions, stable, advertised: advertise.unwrap_or(stable), flexible, name })
    }
}

/// What stands on a field.
pub(crate) struct FieldAttributes {
    pub(crate) versions: Range,
    pub(crate) nullable: Range,
    pub(crate) tag: Option<u32>,
    pub(crate) tagged: Range,
    pub(crate) default: Option<DefaultValue>,
    pub(crate) ignorable: bool,
    pub(crate) map_key: bool,
    pub(crate) name: Option<String>,
}

/// A default other than the type's own.
pub(crate) enum DefaultValue {
    Null,
    Literal { value: TokenStream, text: String, is_text: bool },
}

impl FieldAttributes {
    pub(crate) fn parse(attributes: &[Attribute], span: Span) -> syn::Result<Self> {
        let mut parsed = Self {
            versions: Range::ALL,
            nullable: Range::NONE,
            tag: None,
            tagged: Range::NONE,
            default: None,
            ignorable: false,
            map_key: false,
            name: None,
        };
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("message")) {
            attribute.parse_nested_meta(|meta| {
                match meta.path.require_ident()?.to_string().as_str() {
                    "versions" => parsed.versions = Range::parse(&meta.value()?.parse()?)?,
                    "nullable" => parsed.nullable = Range::parse(&meta.value()?.parse()?)?,
                    "tag" => parsed.tag = Some(meta.value()?.parse::<LitInt>()?.base10_parse()?),
                    "tagged" => parsed.tagged = Range::parse(&meta.value()?.parse()?)?,
                    "default" => parsed.default = Some(DefaultValue::new(meta.value()?.parse()?)?),
                    "ignorable" => parsed.ignorable = true,
                    "map_key" => parsed.map_key = true,
                    "name" => parsed.name = Some(meta.value()?.parse::<LitStr>()?.value()),
                    _ => return Err(meta.error("unknown attribute of a field")),
                }
                Ok(())
            })?;
        }
        if parsed.tag.is_some() == parsed.tagged.is_empty() {
            return Err(syn::Error::new(span, "`tag` and `tagged` go together"));
        }
        Ok(parsed)
    }
}

impl DefaultValue {
    fn new(value: Expr) -> syn::Result<Self> {
        if let Expr::Path(path) = &value
            && path.path.is_ident("null")
        {
            return Ok(Self::Null);
        }
        let (text, is_text) = match &value {
            Expr::Lit(ExprLit { lit, .. }) => literal_text(lit)?,
            Expr::Unary(ExprUnary { op: UnOp::Neg(_), expr, .. }) => match &**expr {
                Expr::Lit(ExprLit { lit: Lit::Int(digits), .. }) => {
                    (format!("-{}", digits.base10_digits()), false)
                }
                other => return Err(syn::Error::new(other.span(), WRONG_DEFAULT)),
            },
            other => return Err(syn::Error::new(other.span(), WRONG_DEFAULT)),
        };
        Ok(Self::Literal { value: value.to_token_stream(), text, is_text })
    }
}

fn literal_text(literal: &Lit) -> syn::Result<(String, bool)> {
    Ok(match literal {
        Lit::Int(digits) => (digits.base10_digits().to_owned(), false),
        Lit::Float(digits) => (digits.base10_digits().to_owned(), false),
        Lit::Bool(value) => (value.value.to_string(), false),
        Lit::Str(text) => (text.value(), true),
        other => return Err(syn::Error::new(other.span(), WRONG_DEFAULT)),
    })
}

const WRONG_DEFAULT: &str = "a default is an integer, a bool, a string or `null`";
