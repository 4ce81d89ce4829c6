//! What tests of many modules share.

/// Pairs of two lists, which must have the same length: `zip` stops at the shorter one, so that a list
/// which lacks its end, or everything, would agree with any other.
#[track_caller]
pub(crate) fn pairs<A, B>(a: A, b: B) -> std::iter::Zip<A::IntoIter, B::IntoIter>
where
    A: IntoIterator<IntoIter: ExactSizeIterator>,
    B: IntoIterator<IntoIter: ExactSizeIterator>,
{
    let (a, b) = (a.into_iter(), b.into_iter());
    assert_eq!(a.len(), b.len(), "the lists have different lengths");
    a.zip(b)
}

#[test]
#[should_panic(expected = "the lists have different lengths")]
fn lists_of_different_lengths_are_not_compared() {
    pairs(&[1, 2], &[] as &[i32]).for_each(drop);
}
