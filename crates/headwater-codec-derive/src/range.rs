//! Ranges of versions as the attributes spell them: `"0..=13"`, `"9.."`, `"..=5"`, `"none"`.

use proc_macro2::TokenStream;
use quote::quote;
use syn::LitStr;

/// An inclusive range; empty when `first > last`, open when `last` is `i16::MAX`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Range {
    pub(crate) first: i16,
    pub(crate) last: i16,
}

impl Range {
    pub(crate) const ALL: Self = Self { first: 0, last: i16::MAX };
    pub(crate) const NONE: Self = Self { first: 0, last: -1 };

    pub(crate) fn parse(literal: &LitStr) -> syn::Result<Self> {
        let text = literal.value();
        if text == "none" {
            return Ok(Self::NONE);
        }
        let wrong = || {
            syn::Error::new(
                literal.span(),
                "expected a range such as \"0..=13\", \"9..\", \"..=5\" or \"none\"",
            )
        };
        let (first, last) = text.split_once("..").ok_or_else(wrong)?;
        let first = if first.is_empty() { 0 } else { first.parse().map_err(|_| wrong())? };
        let last = match last.strip_prefix('=') {
            Some(last) => last.parse().map_err(|_| wrong())?,
            None if last.is_empty() => i16::MAX,
            None => return Err(wrong()),
        };
        if first > last || first < 0 {
            return Err(wrong());
        }
        Ok(Self { first, last })
    }

    pub(crate) fn is_empty(self) -> bool {
        self.first > self.last
    }

    pub(crate) fn intersection(self, other: Self) -> Self {
        let both = Self { first: self.first.max(other.first), last: self.last.min(other.last) };
        if both.is_empty() { Self::NONE } else { both }
    }

    /// Whether a version, known to lie in `outer`, lies in this range.
    pub(crate) fn test(self, outer: Self) -> Test {
        let inner = self.intersection(outer);
        if inner.is_empty() {
            return Test::Never;
        }
        let Self { first, last } = inner;
        match (first > outer.first, last < outer.last) {
            (false, false) => Test::Always,
            (true, false) => Test::When(quote!(version >= #first)),
            (false, true) => Test::When(quote!(version <= #last)),
            (true, true) => Test::When(quote!((#first..=#last).contains(&version))),
        }
    }

    /// The range as a constant of `headwater-codec`.
    pub(crate) fn tokens(self) -> TokenStream {
        let Self { first, last } = self;
        match self {
            Self::ALL => quote!(::headwater_codec::Versions::ALL),
            range if range.is_empty() => quote!(::headwater_codec::Versions::NONE),
            Self { last: i16::MAX, .. } => quote!(::headwater_codec::Versions::from(#first)),
            _ => quote!(::headwater_codec::Versions::new(#first, #last)),
        }
    }
}

/// What is known about a version when the macro runs.
#[derive(Clone)]
pub(crate) enum Test {
    Always,
    Never,
    /// Decided at run time, from a variable `version`.
    When(TokenStream),
}

impl Test {
    /// The test as an expression.
    pub(crate) fn tokens(&self) -> TokenStream {
        match self {
            Self::Always => quote!(true),
            Self::Never => quote!(false),
            Self::When(condition) => condition.clone(),
        }
    }

    /// `code` where the test holds.
    pub(crate) fn guard(&self, code: TokenStream) -> TokenStream {
        match self {
            Self::Always => quote!({ #code }),
            Self::Never => TokenStream::new(),
            Self::When(condition) => quote!(if #condition { #code }),
        }
    }

    /// `then` where the test holds and `otherwise` where it does not.
    pub(crate) fn choose(&self, then: TokenStream, otherwise: TokenStream) -> TokenStream {
        match self {
            Self::Always => then,
            Self::Never => otherwise,
            Self::When(condition) => quote!(if #condition { #then } else { #otherwise }),
        }
    }
}

#[cfg(test)]
mod tests {
    use proc_macro2::Span;

    use super::*;

    fn parse(text: &str) -> Option<Range> {
        Range::parse(&LitStr::new(text, Span::call_site())).ok()
    }

    #[test]
    fn ranges_are_spelled_as_in_rust() {
        assert_eq!(parse("0..=13"), Some(Range { first: 0, last: 13 }));
        assert_eq!(parse("9.."), Some(Range { first: 9, last: i16::MAX }));
        assert_eq!(parse("..=5"), Some(Range { first: 0, last: 5 }));
        assert_eq!(parse("none"), Some(Range::NONE));
        for wrong in ["", "9", "9..12", "5..=4", "-1..", "0-4", "x.."] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_test_that_the_message_decides_costs_nothing() {
        let message = Range { first: 4, last: 18 };
        assert!(matches!(Range::ALL.test(message), Test::Always));
        assert!(matches!(Range { first: 4, last: 18 }.test(message), Test::Always));
        assert!(matches!(Range { first: 0, last: 3 }.test(message), Test::Never));
        assert!(matches!(Range { first: 7, last: i16::MAX }.test(message), Test::When(_)));
    }
}
