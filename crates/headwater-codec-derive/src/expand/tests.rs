use syn::parse_quote;

use super::*;

fn refusal(input: DeriveInput) -> String {
    message(&input).expect_err("must be refused").to_string()
}

#[test]
fn a_field_that_contradicts_itself_is_refused() {
    let field = |field: TokenStream| refusal(parse_quote!(struct Part { #field }));
    let together = "`nullable` and `Option` go together";
    assert_eq!(field(quote!(name: Option<Str>)), together);
    assert_eq!(field(quote!(#[message(nullable = "0..")] name: Str)), together);
    assert_eq!(field(quote!(#[message(default = null)] name: Str)), "only an `Option` can be null");
    assert_eq!(field(quote!(#[message(tag = 1)] epoch: i32)), "`tag` and `tagged` go together");
    assert_eq!(field(quote!(#[message(tagged = "3..")] epoch: i32)), "`tag` and `tagged` go together");
    assert_eq!(field(quote!(#[message(version = "3..")] epoch: i32)), "unknown attribute of a field");
    assert!(field(quote!(#[message(default = 1 + 1)] epoch: i32)).starts_with("a default is"));
}

#[test]
fn a_message_says_what_it_is_and_which_versions_it_has() {
    let message = |attributes: TokenStream| {
        refusal(parse_quote!(
            #[message(#attributes)]
            struct FooRequest {}
        ))
    };
    let whole = "a message says its `versions` and its `flexible` ones";
    assert_eq!(message(quote!(data, versions = "0..")), whole);
    assert_eq!(message(quote!(api = Foo, request, flexible = "none")), whole);
    let what = "a message is `api = ..` with `request` or `response`, or `data`";
    assert_eq!(message(quote!(api = Foo, versions = "0..", flexible = "0..")), what);
    assert_eq!(message(quote!(api = Foo, request, response, versions = "0..", flexible = "0..")), what);
}

#[test]
fn two_fields_cannot_share_a_tag() {
    let input = parse_quote! {
        struct Part {
            #[message(tag = 0, tagged = "0..")] one: i32,
            #[message(tag = 0, tagged = "2..")] two: i32,
        }
    };
    assert_eq!(refusal(input), "tag 0 stands twice");
}

#[test]
fn only_structs_with_named_fields_are_messages() {
    assert_eq!(
        refusal(parse_quote!(
            enum Part {}
        )),
        "only a struct can be a message"
    );
    assert_eq!(
        refusal(parse_quote!(
            struct Part(i32);
        )),
        "a message's fields have names"
    );
    let request = parse_quote!(
        #[message(api = Foo, request, versions = "0..", flexible = "0..")]
        struct Foo {}
    );
    assert_eq!(refusal(request), "a request's name ends in `Request`");
}

#[test]
fn a_struct_may_go_by_another_name_than_kafkas() {
    let input = parse_quote! {
        #[message(versions = "1..", name = "TopicData")]
        struct RequestTopicData {}
    };
    let expanded = message(&input).expect("it is sound").to_string();
    assert!(expanded.contains("name : \"TopicData\""), "{expanded}");
}
