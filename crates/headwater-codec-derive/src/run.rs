//! Runs of fields of fixed size, which are read and written without going back to the reader or writer in between.

use proc_macro2::TokenStream;
use quote::quote;

use crate::field::{Field, Place};

/// A part of a structure.
pub(crate) enum Part<'f, 'a> {
    /// A field by itself.
    Field(&'f Field<'a>),
    /// Fields of fixed size, with such in between as no version has inline.
    Run(Vec<&'f Field<'a>>),
}

/// Divides fields into the longest runs and the fields between them.
pub(crate) fn split<'f, 'a>(fields: &'f [Field<'a>]) -> Vec<Part<'f, 'a>> {
    let (mut parts, mut run) = (Vec::new(), Vec::new());
    for field in fields {
        if field.is_fixed() || !field.is_inline() {
            run.push(field);
        } else {
            end(std::mem::take(&mut run), &mut parts);
            parts.push(Part::Field(field));
        }
    }
    end(run, &mut parts);
    parts
}

fn end<'f, 'a>(run: Vec<&'f Field<'a>>, parts: &mut Vec<Part<'f, 'a>>) {
    if run.iter().filter(|field| field.is_fixed()).count() > 1 {
        parts.push(Part::Run(run));
    } else {
        parts.extend(run.into_iter().map(Part::Field));
    }
}

impl Part<'_, '_> {
    /// Declares a variable for each field.
    pub(crate) fn read(&self) -> TokenStream {
        match self {
            Self::Field(field) => declare(field, field.read(Place::Inline)),
            Self::Run(fields) => {
                let fields = fields.iter().map(|field| declare(field, field.take()));
                quote! {
                    let mut fixed_run = reader.run();
                    #(#fields)*
                    let left = fixed_run.left();
                    reader.end_run(left);
                }
            }
        }
    }

    /// Writes each field, or refuses a value that the version has no room for.
    pub(crate) fn write(&self) -> TokenStream {
        match self {
            Self::Field(field) => {
                let write = field.write(Place::Inline);
                let written = field.tagged().choose(TokenStream::new(), quote!(#write?;));
                field.present().choose(written, field.refuse_absent())
            }
            Self::Run(fields) => {
                let refusals = fields
                    .iter()
                    .map(|field| field.present().choose(TokenStream::new(), field.refuse_absent()));
                let fixed = || fields.iter().filter(|field| field.is_fixed());
                let sizes = fixed().map(|field| field.size());
                let puts = fixed().map(|field| {
                    field.present().guard(field.tagged().choose(TokenStream::new(), field.put()))
                });
                quote! {
                    #(#refusals)*
                    let mut fixed_run = writer.run::<{ #(#sizes)+* }>();
                    #(#puts)*
                    fixed_run.end();
                }
            }
        }
    }
}

fn declare(field: &Field<'_>, read: TokenStream) -> TokenStream {
    let (name, default) = (field.ident, field.default());
    let value = field.tagged().choose(default.clone(), field.present().choose(read, default));
    quote!(let mut #name = #value;)
}
