//! Classes are what was declared, or the labels of the file; nothing is guessed.

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

type Classes = Result<(Vec<u32>, Vec<String>), String>;

/// The classes of the records by number, and their names.
fn of_number(how_many: HowMany, labels: &[&str], declared: Option<&str>) -> Classes {
    let declared = declared.map(|text| ClassPattern::parse_list(text).unwrap());
    match texts(labels).into_classes(declared.as_deref(), how_many, &mut Vec::new()) {
        Ok(Target::Classes { class, names }) => Ok((class, names)),
        Ok(other) => panic!("not classes: {other:?}"),
        Err(LabelProblem { record, problem }) => Err(format!("{record:?} {problem:?}")),
    }
}

fn classes(labels: &[&str], declared: Option<&str>) -> Classes {
    of_number(HowMany::Two, labels, declared)
}

fn several(labels: &[&str], declared: Option<&str>) -> Classes {
    of_number(HowMany::Several, labels, declared)
}

fn owned<const K: usize>(names: [&str; K]) -> Vec<String> {
    names.map(str::to_owned).to_vec()
}

fn named(first: &str, second: &str) -> Vec<String> {
    owned([first, second])
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
fn declarations_that_cannot_tell_classes_apart_are_refused() {
    use ClassPatternError::*;
    for (text, expected) in [
        ("yes", TooFew(1)),
        ("a,", EmptyLabel(String::new())),
        ("a||b,c", EmptyLabel("a||b".to_owned())),
        ("=a,b", EmptyLabel("=a".to_owned())),
        ("a|*,b", StarInList("a|*".to_owned())),
        ("*,*", TwoRest),
        ("x=*,b,y=*", TwoRest),
        ("a|b,b", InTwo("b".to_owned())),
        ("1|2,3,+2.0", InTwo("+2.0".to_owned())),
        ("x=a,y=c,x=b", SameName("x".to_owned())),
        ("other,*", SameName("other".to_owned())),
    ] {
        assert_eq!(ClassPattern::parse_list(text), Err(expected), "{text}");
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
        .into_classes(None, HowMany::Two, &mut assumed)
        .unwrap();
    assert_eq!(assumed, ["the classes (-1 and 1) were taken from the file"]);
    let declared = ClassPattern::parse_list("-1,1").unwrap();
    let mut assumed = Vec::new();
    texts(&["1", "-1"])
        .into_classes(Some(&declared), HowMany::Two, &mut assumed)
        .unwrap();
    assert!(assumed.is_empty());
    let many: Vec<String> = (0..100).map(|label| label.to_string()).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let mut assumed = Vec::new();
    texts(&many)
        .into_classes(None, HowMany::Several, &mut assumed)
        .unwrap();
    assert!(assumed[0].ends_with("18, 19 and 80 more) were taken from the file"));
}

#[test]
fn several_undeclared_labels_are_classes_in_order_numbers_first() {
    let found = several(&["b", "10", "9", "a", "+10.0"], None).unwrap();
    let expected = (vec![3, 1, 0, 2, 1], owned(["9", "10", "a", "b"]));
    assert_eq!(found, expected);
    let one = several(&["1", "+1"], None);
    assert_eq!(one, Err("None OneClass".to_owned()));
}

#[test]
fn several_declared_classes_are_matched_and_the_rest_goes_to_the_star() {
    let declared = Some("x=1|a,*,2|b,absent=7");
    let names = owned(["x", "other", "2|b", "absent"]);
    let (class, given) = several(&["1.0", "c", "b", "2e0", "a", "other"], declared).unwrap();
    assert_eq!((class, given), (vec![0, 1, 2, 2, 0, 1], names));
    let undeclared = several(&["a", "b", "c"], Some("a,b,d"));
    assert_eq!(undeclared, Err("Some(2) LabelUndeclared".to_owned()));
}

#[test]
fn a_task_of_two_classes_refuses_more_and_none_takes_too_many() {
    let three = classes(&["a"], Some("a,b,c"));
    assert_eq!(three, Err("None NotTwoDeclared(3)".to_owned()));
    let labels: Vec<String> = (0..=MOST_CLASSES).map(|label| label.to_string()).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let many = several(&labels, None);
    assert_eq!(many, Err(format!("Some({MOST_CLASSES}) ManyLabels")));
    assert_eq!(several(&labels[1..], None).unwrap().1.len(), MOST_CLASSES);
    let listed = ClassPattern::list(&labels);
    assert_eq!(listed, Err(ClassPatternError::TooMany(MOST_CLASSES + 1)));
}
