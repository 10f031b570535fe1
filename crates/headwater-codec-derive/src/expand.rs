//! From a struct to its implementations.

use proc_macro2::TokenStream;
use quote::quote;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Fields, Ident};

use crate::attributes::{Role, StructAttributes};
use crate::field::{Field, Place};
use crate::range::{Range, Test};
use crate::run;

struct Struct<'a> {
    ident: &'a Ident,
    attributes: StructAttributes,
    fields: Vec<Field<'a>>,
    /// Whether it ends in a field for unknown tags.
    keeps_tags: bool,
}

/// Expands the derive.
pub(crate) fn message(input: &DeriveInput) -> syn::Result<TokenStream> {
    let message = Struct::parse(input)?;
    let (default, codec, role) = (message.default(), message.codec(), message.role()?);
    Ok(quote!(#default #codec #role))
}

impl<'a> Struct<'a> {
    fn parse(input: &'a DeriveInput) -> syn::Result<Self> {
        let Data::Struct(data) = &input.data else {
            return Err(syn::Error::new(input.span(), "only a struct can be a message"));
        };
        let attributes = StructAttributes::parse(&input.attrs, input.ident.span())?;
        let mut keeps_tags = false;
        let mut fields = Vec::new();
        match &data.fields {
            Fields::Named(named) => {
                for field in &named.named {
                    if field.ident.as_ref().is_some_and(|ident| ident == "unknown_tags") {
                        keeps_tags = true;
                    } else {
                        fields.push(Field::parse(field, attributes.versions)?);
                    }
                }
            }
            Fields::Unit => {}
            Fields::Unnamed(_) => return Err(syn::Error::new(input.span(), "a message's fields have names")),
        }
        let message = Self { ident: &input.ident, attributes, fields, keeps_tags };
        for pair in message.tagged_fields().windows(2) {
            if let [(tag, _), (next, field)] = pair
                && tag == next
            {
                return Err(syn::Error::new(field.ident.span(), format!("tag {tag} stands twice")));
            }
        }
        Ok(message)
    }

    fn default(&self) -> TokenStream {
        let ident = self.ident;
        let fields = self.fields.iter().map(|field| {
            let (name, default) = (field.ident, field.default());
            quote!(#name: #default,)
        });
        let unknown_tags =
            self.keeps_tags.then(|| quote!(unknown_tags: ::headwater_codec::UnknownTags::NONE,));
        quote! {
            #[automatically_derived]
            #[allow(clippy::all)]
            impl ::core::default::Default for #ident {
                fn default() -> Self {
                    Self { #(#fields)* #unknown_tags }
                }
            }
        }
    }

    fn codec(&self) -> TokenStream {
        let ident = self.ident;
        let (schema, least_size, decode, encode) =
            (self.schema(), self.least_size(), self.decode(), self.encode());
        // The elements of an array are built where they stay when the loop over them sees how.
        let inline = matches!(self.attributes.role, Role::Nested).then(|| quote!(#[inline]));
        quote! {
            #[automatically_derived]
            #[allow(clippy::all, unused_variables, unused_mut)]
            impl ::headwater_codec::Message for #ident {
                const SCHEMA: &'static ::headwater_codec::MessageSchema = &#schema;

                fn least_size(version: i16, flexible: bool) -> usize {
                    #least_size
                }

                #inline
                fn decode(
                    reader: &mut ::headwater_codec::Reader,
                ) -> ::core::result::Result<Self, ::headwater_codec::DecodeError> {
                    #decode
                }

                #inline
                fn encode(
                    &self,
                    writer: &mut ::headwater_codec::Writer,
                ) -> ::core::result::Result<(), ::headwater_codec::EncodeError> {
                    #encode
                }
            }
        }
    }

    fn schema(&self) -> TokenStream {
        let StructAttributes { role, versions, stable, advertised, flexible, name } = &self.attributes;
        let name = name.clone().unwrap_or_else(|| self.ident.to_string());
        let kind = match role {
            Role::Request(api) => quote!(Request(::headwater_codec::ApiKey::#api)),
            Role::Response(api) => quote!(Response(::headwater_codec::ApiKey::#api)),
            Role::Data(Some(id)) => quote!(Data { type_id: ::core::option::Option::Some(#id) }),
            Role::Data(None) => quote!(Data { type_id: ::core::option::Option::None }),
            Role::Nested => quote!(Nested),
        };
        let (versions, stable, advertised) = (versions.tokens(), stable.tokens(), advertised.tokens());
        let flexible = flexible.unwrap_or(Range::NONE).tokens();
        let fields = self.fields.iter().map(Field::schema);
        quote! {
            ::headwater_codec::MessageSchema {
                name: #name,
                kind: ::headwater_codec::MessageKind::#kind,
                versions: #versions,
                stable: #stable,
                advertised: #advertised,
                flexible: #flexible,
                fields: &[#(#fields),*],
            }
        }
    }

    fn least_size(&self) -> TokenStream {
        let fields = self.fields.iter().map(Field::least_size);
        quote! {
            let mut size = if flexible { 1 } else { 0 };
            #(#fields)*
            size
        }
    }

    fn decode(&self) -> TokenStream {
        let inline = run::split(&self.fields).into_iter().map(|part| part.read());
        let names = self.fields.iter().map(|field| field.ident);
        let tagged_fields = self.tagged_fields();
        let (tags, kept) = match (tagged_fields.is_empty(), self.keeps_tags) {
            (true, true) => (
                quote!(::headwater_codec::tagged::read_into(reader, &mut unknown_tags)?;),
                quote!(unknown_tags,),
            ),
            (true, false) => (quote!(::headwater_codec::tagged::read(reader)?;), TokenStream::new()),
            (false, keeps_tags) => {
                let arms = tagged_fields.iter().map(|(tag, field)| {
                    let (name, read) = (field.ident, field.read(Place::Tagged));
                    let guard = match field.tagged() {
                        Test::When(condition) => quote!(if #condition),
                        _ => TokenStream::new(),
                    };
                    quote!(#tag #guard => #name = #read,)
                });
                let read = quote! {
                    ::headwater_codec::tagged::read_known(reader, &mut unknown_tags, &mut |reader, tag| {
                        match tag {
                            #(#arms)*
                            _ => return ::core::result::Result::Ok(false),
                        }
                        ::core::result::Result::Ok(true)
                    })?;
                };
                (read, if keeps_tags { quote!(unknown_tags,) } else { TokenStream::new() })
            }
        };
        quote! {
            let version = reader.version();
            #(#inline)*
            let mut unknown_tags = ::headwater_codec::UnknownTags::NONE;
            if reader.is_flexible() { #tags }
            ::core::result::Result::Ok(Self { #(#names,)* #kept })
        }
    }

    fn encode(&self) -> TokenStream {
        let inline = run::split(&self.fields).into_iter().map(|part| part.write());
        let tags = self.encode_tags();
        quote! {
            let version = writer.version();
            #(#inline)*
            #tags
        }
    }

    fn encode_tags(&self) -> TokenStream {
        let tagged_fields = self.tagged_fields();
        let unknown_tags = if self.keeps_tags {
            quote!(&self.unknown_tags)
        } else {
            quote!(&::headwater_codec::UnknownTags::NONE)
        };
        if tagged_fields.is_empty() {
            return quote!(::headwater_codec::tagged::write(writer, #unknown_tags));
        }
        let (mut said, mut counts, mut writes) = (Vec::new(), Vec::new(), Vec::new());
        for (tag, field) in tagged_fields {
            let flag = quote::format_ident!("tag_{tag}");
            let (tagged, differs, write) =
                (field.tagged().tokens(), field.differs(), field.write(Place::Tagged));
            said.push(quote!(let #flag = #tagged && #differs;));
            counts.push(quote!(u32::from(#flag)));
            writes.push(quote!(if #flag { block.field(writer, #tag, &mut |writer| #write)?; }));
        }
        quote! {
            if !writer.is_flexible() {
                return ::headwater_codec::tagged::refuse(writer, #unknown_tags);
            }
            #(#said)*
            let unknown_tags = #unknown_tags;
            let mut block = ::headwater_codec::tagged::Block::begin(writer, #(#counts)+*, unknown_tags)?;
            #(#writes)*
            block.end(writer);
            ::core::result::Result::Ok(())
        }
    }

    /// The fields that some version tags, by ascending tag.
    fn tagged_fields(&self) -> Vec<(u32, &Field<'a>)> {
        let tagged = self.fields.iter().filter(|field| !matches!(field.tagged(), Test::Never));
        let mut tagged: Vec<_> = tagged.filter_map(|field| Some((field.tag?, field))).collect();
        tagged.sort_by_key(|(tag, _)| *tag);
        tagged
    }

    fn role(&self) -> syn::Result<TokenStream> {
        let ident = self.ident;
        Ok(match &self.attributes.role {
            Role::Request(api) => {
                let name = ident.to_string();
                let stem = name
                    .strip_suffix("Request")
                    .ok_or_else(|| syn::Error::new(ident.span(), "a request's name ends in `Request`"))?;
                let response = Ident::new(&format!("{stem}Response"), ident.span());
                quote! {
                    #[automatically_derived]
                    impl ::headwater_codec::Request for #ident {
                        const KEY: ::headwater_codec::ApiKey = ::headwater_codec::ApiKey::#api;
                        type Response = #response;
                    }
                }
            }
            Role::Data(Some(id)) => quote! {
                #[automatically_derived]
                impl ::headwater_codec::MetadataRecord for #ident {
                    const TYPE_ID: u32 = #id;
                }
            },
            Role::Response(_) | Role::Data(None) | Role::Nested => TokenStream::new(),
        })
    }
}

#[cfg(test)]
mod tests;
