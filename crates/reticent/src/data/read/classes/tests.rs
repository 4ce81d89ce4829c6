//! Classes are what was declared, or the two labels of the file; nothing is guessed.

use super::*;

fn pattern(name: &str, labels: Option<&[&str]>) -> ClassPattern {
    ClassPattern {
        name: name.to_owned(),
        labels: labels.map(|labels| labels.iter().map(|&label| label.to_owned()).collect()),
    }
}

fn texts(labels: &[&str]) -> Labels {
    let mut known = Labels::default();
    labels.iter().for_each(|label| known.push_text(label));
    known
}

/// The classes of the records as 0 and 1, and their names.
fn classes(labels: &[&str], declared: Option<&str>) -> Result<(Vec<u8>, [String; 2]), String> {
    let declared = declared.map(|text| ClassPattern::parse_pair(text).unwrap());
    match texts(labels).into_classes(declared.as_ref(), &mut Vec::new()) {
        Ok(Target::Classes { second, names }) => {
            Ok((second.into_iter().map(u8::from).collect(), names))
        }
        Ok(other) => panic!("not classes: {other:?}"),
        Err(LabelProblem { record, problem }) => Err(format!("{record:?} {problem:?}")),
    }
}

fn named(first: &str, second: &str) -> [String; 2] {
    [first.to_owned(), second.to_owned()]
}

#[test]
fn patterns_read_as_documented() {
    for (text, expected) in [
        ("yes", pattern("yes", Some(&["yes"]))),
        (" a | b|c ", pattern("a|b|c", Some(&["a", "b", "c"]))),
        ("*", pattern("other", None)),
        ("sick=*", pattern("sick", None)),
        ("ill = 2|3", pattern("ill", Some(&["2", "3"]))),
        ("<=50K", pattern("<=50K", Some(&["<=50K"]))),
        ("poor=<=50K", pattern("poor", Some(&["<=50K"]))),
        ("+1", pattern("+1", Some(&["+1"]))),
    ] {
        assert_eq!(ClassPattern::parse(text), Ok(expected), "{text}");
    }
}

#[test]
fn declarations_that_can_not_tell_classes_apart_are_refused() {
    use ClassPatternError::*;
    for (text, expected) in [
        ("yes", NotTwo(1)),
        ("a,b,c", NotTwo(3)),
        ("a,", EmptyLabel(String::new())),
        ("a||b,c", EmptyLabel("a||b".to_owned())),
        ("=a,b", EmptyLabel("=a".to_owned())),
        ("a|*,b", StarInList("a|*".to_owned())),
        ("*,*", BothRest),
        ("x=*,y=*", BothRest),
        ("a|b,b", InBoth("b".to_owned())),
        ("1|2,+2.0", InBoth("2".to_owned())),
        ("x=a,x=b", SameName("x".to_owned())),
        ("other,*", SameName("other".to_owned())),
    ] {
        assert_eq!(ClassPattern::parse_pair(text), Err(expected), "{text}");
    }
}

#[test]
fn declared_labels_match_as_numbers_or_exact_texts() {
    let (second, names) = classes(&["+1", "1.0", " 1", "-1", "-1e0"], Some("-1,1")).unwrap();
    assert_eq!((second, names), (vec![1, 1, 1, 0, 0], named("-1", "1")));
    let (second, _) = classes(&["no", " yes ", "no"], Some("yes,no")).unwrap();
    assert_eq!(second, [1, 0, 1]);
    let undeclared = classes(&["no", "yes", "Yes"], Some("no,yes"));
    assert_eq!(undeclared, Err("Some(2) LabelUndeclared".to_owned()));
}

#[test]
fn a_star_takes_all_that_the_other_class_does_not_list() {
    let (second, names) = classes(&["a", "b", "c"], Some("b,*")).unwrap();
    assert_eq!((second, names), (vec![1, 0, 1], named("b", "other")));
    let (second, names) = classes(&["a", "b", "c"], Some("well=*,b")).unwrap();
    assert_eq!((second, names), (vec![0, 1, 0], named("well", "b")));
}

#[test]
fn declared_classes_need_not_both_occur() {
    let (second, _) = classes(&["a", "a"], Some("a,b")).unwrap();
    assert_eq!(second, [0, 0]);
}

#[test]
fn undeclared_classes_are_the_two_labels_in_order() {
    for (labels, expected) in [
        (["+1", "-1.0"], (vec![1, 0], named("-1", "1"))),
        (["10", "9"], (vec![1, 0], named("9", "10"))),
        (["-0", "2.5e20"], (vec![0, 1], named("0", "2.5e20"))),
        (["b", "a"], (vec![1, 0], named("a", "b"))),
        (["a", "7"], (vec![1, 0], named("7", "a"))),
    ] {
        assert_eq!(classes(&labels, None), Ok(expected), "{labels:?}");
    }
}

#[test]
fn other_than_two_undeclared_labels_are_refused() {
    assert_eq!(classes(&["1", "+1"], None), Err("None OneClass".to_owned()));
    assert_eq!(
        classes(&["1", "2", "1", "3"], None),
        Err("Some(3) ManyClasses".to_owned())
    );
}

#[test]
fn what_was_taken_from_the_file_is_said() {
    let mut assumed = Vec::new();
    texts(&["1", "-1"])
        .into_classes(None, &mut assumed)
        .unwrap();
    assert_eq!(assumed, ["the classes (-1 and 1) were taken from the file"]);
    let declared = ClassPattern::pair("-1", "1").unwrap();
    let mut assumed = Vec::new();
    texts(&["1", "-1"])
        .into_classes(Some(&declared), &mut assumed)
        .unwrap();
    assert!(assumed.is_empty());
}
