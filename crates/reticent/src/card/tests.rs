//! The card says the same as text and in a notebook, and names in it stay text.

use super::*;
use crate::model::Origin;

/// Written by a fit with a seed, of four columns.
fn model() -> Model {
    let text = include_str!("../../tests/data/model-before-names.json");
    Model::from_json(text.as_bytes()).unwrap()
}

fn named(names: [&str; 4]) -> Model {
    let origin = Origin {
        column_names: Some(names.map(str::to_owned).to_vec()),
        label_type: None,
    };
    model().with_origin(origin).unwrap()
}

/// What a browser shows of markup: the text outside of tags, entities as characters.
fn shown(html: &str) -> String {
    let mut text = String::new();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        text.push_str(&rest[..start]);
        let end = rest.find('>').unwrap();
        let tag = &rest[start..=end];
        let known = ["<pre style=\"", "</pre>", "<span style=\"", "</span>"];
        assert!(known.iter().any(|known| tag.starts_with(known)), "{tag}");
        rest = &rest[end + 1..];
    }
    text.push_str(rest);
    let entities = [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&quot;", "\""),
        ("&#x27;", "'"),
    ];
    let decoded = |text: String, (entity, c): (&str, &str)| text.replace(entity, c);
    entities
        .into_iter()
        .fold(text, decoded)
        .replace("&amp;", "&")
}

#[test]
fn the_notebook_shows_the_text_and_no_name_becomes_markup() {
    let names = [
        "<script>a</script>",
        "a&b",
        "\"'><b",
        "x\u{1b}[31mred\u{9b}2m",
    ];
    let card = of_model(&named(names));
    let page = html(&card);
    assert_eq!(shown(&page), plain(&card));
    assert!(!page.contains("<script>"), "{page}");
    assert!(page.contains("&lt;script&gt;a&lt;/script&gt;"), "{page}");
    assert!(!page.contains('\u{1b}') && !plain(&card).contains('\u{1b}'));
    assert!(plain(&card).contains("\"'><b"), "{card}");
}

#[test]
fn every_style_of_the_card_has_a_look() {
    let page = html(&of_model(&model()));
    assert!(
        page.contains("font-weight:bold\">NOT PRIVATE</span>"),
        "{page}"
    );
    assert!(!page.contains("style=\"\""), "{page}");
    let opened = page.matches("<span").count();
    assert!(opened > 5);
    assert_eq!(opened, page.matches("</span>").count());
}

#[test]
fn columns_are_called_by_their_names_where_there_are_any() {
    let card = plain(&of_model(&model()));
    assert!(card.contains("3 of 4 numbered columns"), "{card}");
    let card = plain(&of_model(&named(["age", "dose", "weeks", "ward"])));
    assert!(card.contains("3 of 4 named columns"), "{card}");
    assert!(card.contains("\n  weeks  "), "{card}");
}

#[test]
fn a_choice_lists_what_was_chosen() {
    let certificate = model().certificate().clone();
    let chosen: Vec<String> = (0..30).map(|j| format!("f{j}")).collect();
    let card = plain(&of_choice(&certificate, &chosen));
    assert!(card.contains("30 of 4 features"), "{card}");
    assert!(card.contains("f19 and 10 more"), "{card}");
    assert!(!card.contains("Weights"), "{card}");
}
