//! One field: what is known about it, and the pieces of code that concern it alone.

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{GenericArgument, Ident, PathArguments, Type};

use crate::attributes::{DefaultValue, FieldAttributes};
use crate::range::{Range, Test};

pub(crate) struct Field<'a> {
    pub(crate) ident: &'a Ident,
    pub(crate) tag: Option<u32>,
    attributes: FieldAttributes,
    name: String,
    /// The type, without the `Option` around it.
    value: &'a Type,
    optional: bool,
    /// The versions of the struct that it stands in.
    outer: Range,
}

/// Where a field's value stands.
#[derive(Clone, Copy)]
pub(crate) enum Place {
    Inline,
    Tagged,
}

impl Place {
    /// The method for a field that can be null.
    fn method(self) -> TokenStream {
        match self {
            Self::Inline => quote!(optional_field),
            Self::Tagged => quote!(optional_tagged_field),
        }
    }
}

impl<'a> Field<'a> {
    pub(crate) fn parse(field: &'a syn::Field, outer: Range) -> syn::Result<Self> {
        let ident = field.ident.as_ref().ok_or_else(|| syn::Error::new(field.span(), "fields have names"))?;
        let attributes = FieldAttributes::parse(&field.attrs, ident.span())?;
        let inner = generic_argument(&field.ty, "Option");
        if inner.is_some() == attributes.nullable.is_empty() {
            return Err(syn::Error::new(field.ty.span(), "`nullable` and `Option` go together"));
        }
        if inner.is_none() && matches!(attributes.default, Some(DefaultValue::Null)) {
            return Err(syn::Error::new(field.ty.span(), "only an `Option` can be null"));
        }
        let name = attributes.name.clone().unwrap_or_else(|| pascal_case(&ident.to_string()));
        let (value, optional) = (inner.unwrap_or(&field.ty), inner.is_some());
        Ok(Self { ident, tag: attributes.tag, attributes, name, value, optional, outer })
    }

    /// Whether the version has the field.
    pub(crate) fn present(&self) -> Test {
        self.attributes.versions.test(self.outer)
    }

    /// Whether the version has it as a tagged field.
    pub(crate) fn tagged(&self) -> Test {
        self.attributes.tagged.intersection(self.attributes.versions).test(self.outer)
    }

    /// The field's initial value.
    pub(crate) fn default(&self) -> TokenStream {
        let value = self.value;
        let literal = match &self.attributes.default {
            Some(DefaultValue::Null) => return quote!(::core::option::Option::None),
            None if self.optional => {
                return quote!(<#value as ::headwater_codec::Nullable>::default_nullable());
            }
            None => return quote!(<#value as ::core::default::Default>::default()),
            Some(DefaultValue::Literal { text, is_text: true, .. }) if text.is_empty() => {
                quote!(<#value as ::core::default::Default>::default())
            }
            Some(DefaultValue::Literal { value: literal, .. }) if is_primitive(value) => quote!(#literal),
            Some(DefaultValue::Literal { value: literal, .. }) => quote!(<#value>::from(#literal)),
        };
        if self.optional { quote!(::core::option::Option::Some(#literal)) } else { literal }
    }

    /// Whether `self.field` is anything but its initial value.
    pub(crate) fn differs(&self) -> TokenStream {
        let Self { ident, .. } = self;
        let default = self.default();
        match &self.attributes.default {
            Some(DefaultValue::Null) => quote!(self.#ident.is_some()),
            None if !self.optional && generic_argument(self.value, "Vec").is_some() => {
                quote!(!self.#ident.is_empty())
            }
            _ => quote!(self.#ident != #default),
        }
    }

    /// Reads the value, inline or as a tagged field.
    pub(crate) fn read(&self, place: Place) -> TokenStream {
        let Self { name, value, .. } = self;
        if self.optional {
            let (nullable, method) = (self.nullable().tokens(), place.method());
            quote!(reader.#method::<#value>(#name, #nullable)?)
        } else {
            quote!(reader.field::<#value>(#name)?)
        }
    }

    /// Whether some version has the field inline.
    pub(crate) fn is_inline(&self) -> bool {
        !matches!(self.tagged(), Test::Always) && !matches!(self.present(), Test::Never)
    }

    /// Whether every value takes the same number of bytes inline.
    pub(crate) fn is_fixed(&self) -> bool {
        !self.optional && self.is_inline() && is_one_of(self.value, &FIXED)
    }

    /// Bytes that a value takes, for a field that [is fixed](Self::is_fixed).
    pub(crate) fn size(&self) -> TokenStream {
        let value = self.value;
        quote!(<#value as ::headwater_codec::fixed::Fixed>::SIZE)
    }

    /// Reads the value out of a run.
    pub(crate) fn take(&self) -> TokenStream {
        let Self { name, value, .. } = self;
        quote! {
            match <#value as ::headwater_codec::fixed::Fixed>::take(&mut fixed_run) {
                ::core::option::Option::Some(value) => value,
                ::core::option::Option::None => {
                    return ::core::result::Result::Err(reader.run_ends(fixed_run.left(), #name));
                }
            }
        }
    }

    /// Writes the value into a run.
    pub(crate) fn put(&self) -> TokenStream {
        let Self { ident, .. } = self;
        quote!(::headwater_codec::fixed::Fixed::put(&self.#ident, &mut fixed_run);)
    }

    /// Writes the value, inline or as a tagged field.
    pub(crate) fn write(&self, place: Place) -> TokenStream {
        let Self { name, value, ident, .. } = self;
        if self.optional {
            let (nullable, method) = (self.nullable().tokens(), place.method());
            quote!(writer.#method::<#value>(#name, &self.#ident, #nullable))
        } else {
            quote!(writer.field::<#value>(#name, &self.#ident))
        }
    }

    /// Refuses a value that the version has no room for.
    pub(crate) fn refuse_absent(&self) -> TokenStream {
        if self.attributes.ignorable {
            return TokenStream::new();
        }
        let (name, differs) = (&self.name, self.differs());
        quote!(if #differs { return ::core::result::Result::Err(writer.absent(#name)); })
    }

    /// Adds the fewest bytes that the field takes inline.
    pub(crate) fn least_size(&self) -> TokenStream {
        let value = self.value;
        let least = if self.optional {
            quote!(size += <#value as ::headwater_codec::Nullable>::least_nullable_size(version, flexible);)
        } else {
            quote!(size += <#value as ::headwater_codec::Wire>::least_size(version, flexible);)
        };
        self.tagged().choose(TokenStream::new(), self.present().guard(least))
    }

    /// The field's schema.
    pub(crate) fn schema(&self) -> TokenStream {
        let Self { name, value, attributes, .. } = self;
        let FieldAttributes { versions, nullable, tag, tagged, default, ignorable, map_key, .. } = attributes;
        let (versions, nullable, tagged) = (versions.tokens(), nullable.tokens(), tagged.tokens());
        let tag = option(tag.as_ref());
        let default = option(match default {
            Some(DefaultValue::Null) => Some("null"),
            Some(DefaultValue::Literal { text, .. }) => Some(text.as_str()),
            None => None,
        });
        quote! {
            ::headwater_codec::FieldSchema {
                name: #name,
                field_type: <#value as ::headwater_codec::Wire>::TYPE,
                versions: #versions,
                nullable: #nullable,
                tag: #tag,
                tagged: #tagged,
                default: #default,
                ignorable: #ignorable,
                map_key: #map_key,
            }
        }
    }

    fn nullable(&self) -> Test {
        // A field's value is only read or written where the field is: what holds in all those versions always holds.
        let versions = self.attributes.versions.intersection(self.outer);
        self.attributes.nullable.test(if versions.is_empty() { self.outer } else { versions })
    }
}

fn option<T: quote::ToTokens>(value: Option<T>) -> TokenStream {
    match value {
        Some(value) => quote!(::core::option::Option::Some(#value)),
        None => quote!(::core::option::Option::None),
    }
}

/// `T` of a type written `Wrapper<T>`.
fn generic_argument<'a>(outer: &'a Type, wrapper: &str) -> Option<&'a Type> {
    let Type::Path(path) = outer else { return None };
    let segment = path.path.segments.last().filter(|segment| segment.ident == wrapper)?;
    let PathArguments::AngleBracketed(arguments) = &segment.arguments else { return None };
    match arguments.args.first() {
        Some(GenericArgument::Type(inner)) => Some(inner),
        _ => None,
    }
}

fn is_primitive(value: &Type) -> bool {
    is_one_of(value, &PRIMITIVES)
}

fn is_one_of(value: &Type, names: &[&str]) -> bool {
    matches!(value, Type::Path(path) if names.iter().any(|name| path.path.is_ident(name)))
}

const PRIMITIVES: [&str; 8] = ["bool", "i8", "i16", "u16", "i32", "u32", "i64", "f64"];

/// The types that implement `headwater_codec::fixed::Fixed`.
const FIXED: [&str; 16] = [
    "bool",
    "i8",
    "i16",
    "u16",
    "i32",
    "u32",
    "i64",
    "f64",
    "Uuid",
    "BrokerId",
    "PartitionIndex",
    "LeaderEpoch",
    "CorrelationId",
    "ProducerId",
    "ProducerEpoch",
    "ErrorCode",
];

fn pascal_case(snake_case: &str) -> String {
    let words = snake_case.trim_start_matches("r#").split('_');
    words
        .flat_map(|word| {
            word.chars().take(1).map(|first| first.to_ascii_uppercase()).chain(word.chars().skip(1))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_kafkas() {
        assert_eq!(pascal_case("allow_auto_topic_creation"), "AllowAutoTopicCreation");
        assert_eq!(pascal_case("r#type"), "Type");
    }
}
