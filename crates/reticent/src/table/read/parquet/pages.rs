//! Pages of a column whose claims are checked before room is made for them.
//!
//! The decoders of the parquet crate make room for as many values of a dictionary as its page says it
//! has: a damaged file of a kilobyte could ask for all memory.

use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};

/// The pages of another reader, of which each dictionary has a byte or more for each of its values.
pub(super) struct CheckedPages(pub(super) Box<dyn PageReader>);

fn checked(page: Option<Page>) -> Result<Option<Page>> {
    if let Some(Page::DictionaryPage {
        buf, num_values, ..
    }) = &page
        && *num_values as usize > buf.len()
    {
        let reason = "a dictionary claims more values than it has bytes";
        return Err(ParquetError::General(reason.to_owned()));
    }
    Ok(page)
}

impl PageReader for CheckedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        checked(self.0.get_next_page()?)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.0.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.0.skip_next_page()
    }

    fn supports_deferred_dictionary(&self) -> bool {
        self.0.supports_deferred_dictionary()
    }

    fn take_deferred_dictionary(&mut self) -> Result<Option<Page>> {
        checked(self.0.take_deferred_dictionary()?)
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.0.at_record_boundary()
    }
}

impl Iterator for CheckedPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Self::Item> {
        self.get_next_page().transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::basic::Encoding;

    fn dictionary(num_values: u32, bytes: usize) -> Page {
        Page::DictionaryPage {
            buf: vec![0; bytes].into(),
            num_values,
            encoding: Encoding::PLAIN,
            is_sorted: false,
        }
    }

    #[test]
    fn a_dictionary_has_room_for_its_values() {
        assert!(checked(Some(dictionary(2, 16))).is_ok());
        assert!(checked(Some(dictionary(0, 0))).is_ok());
        assert!(checked(None).is_ok());
        let error = checked(Some(dictionary(u32::MAX, 16))).unwrap_err();
        assert!(error.to_string().contains("more values than it has bytes"));
    }
}
