//! Opening files: compression is recognised by the first bytes and undone while reading.

use std::fs::File;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::path::Path;

use super::error::ReadProblem;

/// How much of a file is read at a time.
const BUFFER: usize = 1 << 16;

/// The largest dictionary of an xz stream; `xz -9` needs 65 MB.
const MOST_XZ_MEMORY: u64 = 1 << 30;

/// The content of a file, decompressed, as a stream.
///
/// Streams that were joined (`cat a.gz b.gz`) are read whole. A stream that ends early or whose
/// checksum is wrong is an error, never an end.
pub(super) struct Source<'a> {
    stream: Box<dyn Read + Send + 'a>,
    compressed: bool,
}

impl<'a> Source<'a> {
    /// Opens a file. `progress` is called with the number of bytes read, and of the whole file.
    pub(super) fn open(
        path: &Path,
        progress: &'a (dyn Fn(u64, u64) + Sync),
    ) -> Result<Self, ReadProblem> {
        let file = file(path)?;
        let total = file.metadata()?.len();
        Self::new(Counted {
            inner: file,
            read: 0,
            total,
            progress,
        })
    }

    /// Any stream, compressed or not.
    pub(super) fn new(stream: impl Read + Send + 'a) -> Result<Self, ReadProblem> {
        let (start, stream) = peeked(stream)?;
        let Some(compression) = Compression::of(&start) else {
            return Ok(Self {
                stream: Box::new(stream),
                compressed: false,
            });
        };
        let stream = BufReader::with_capacity(BUFFER, stream);
        Ok(Self {
            stream: compression.undone(stream)?,
            compressed: true,
        })
    }

    /// What a failure of this stream means.
    pub(super) fn problem(&self, error: io::Error) -> ReadProblem {
        // An error of the operating system has a number; one of a decoder has none.
        match self.compressed && error.raw_os_error().is_none() {
            true => ReadProblem::Damaged(error),
            false => ReadProblem::Io(error),
        }
    }
}

impl Read for Source<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.stream.read(buffer)
    }
}

/// Opens a file, as it is.
pub(super) fn file(path: &Path) -> Result<File, ReadProblem> {
    let file = File::open(path).map_err(opening)?;
    match file.metadata()?.is_dir() {
        true => Err(ReadProblem::Directory),
        false => Ok(file),
    }
}

fn opening(error: io::Error) -> ReadProblem {
    match error.kind() {
        ErrorKind::NotFound => ReadProblem::NoFile,
        ErrorKind::PermissionDenied => ReadProblem::Forbidden,
        ErrorKind::IsADirectory => ReadProblem::Directory,
        _ => ReadProblem::Io(error),
    }
}

/// The compressions that are recognised.
#[derive(Clone, Copy)]
enum Compression {
    Gz,
    Bz2,
    Xz,
    Zst,
}

/// The length of the longest magic number of a compressed file.
const LONGEST_MARK: u64 = 6;

impl Compression {
    /// No LIBSVM text starts with a magic number, nor does any plausible header.
    fn of(start: &[u8]) -> Option<Self> {
        match start {
            [0x1F, 0x8B, ..] => Some(Self::Gz),
            [b'B', b'Z', b'h', b'1'..=b'9', ..] => Some(Self::Bz2),
            [0xFD, b'7', b'z', b'X', b'Z', 0, ..] => Some(Self::Xz),
            [0x28, 0xB5, 0x2F, 0xFD, ..] => Some(Self::Zst),
            _ => None,
        }
    }

    fn undone<'a>(
        self,
        stream: impl BufRead + Send + 'a,
    ) -> Result<Box<dyn Read + Send + 'a>, ReadProblem> {
        Ok(match self {
            Self::Gz => Box::new(flate2::bufread::MultiGzDecoder::new(stream)),
            Self::Bz2 => Box::new(bzip2::bufread::MultiBzDecoder::new(stream)),
            Self::Xz => {
                let joined = liblzma::stream::CONCATENATED;
                let decoder = liblzma::stream::Stream::new_stream_decoder(MOST_XZ_MEMORY, joined)
                    .map_err(io::Error::from)?;
                Box::new(liblzma::bufread::XzDecoder::new_stream(stream, decoder))
            }
            Self::Zst => Box::new(zstd::stream::read::Decoder::with_buffer(stream)?),
        })
    }
}

/// The first bytes of a stream, and the stream with them put back.
fn peeked<'a>(
    mut stream: impl Read + Send + 'a,
) -> Result<(Vec<u8>, impl Read + Send + 'a), ReadProblem> {
    let mut start = Vec::new();
    stream.by_ref().take(LONGEST_MARK).read_to_end(&mut start)?;
    Ok((start.clone(), io::Cursor::new(start).chain(stream)))
}

/// A stream that reports how far it has been read.
struct Counted<'a, R> {
    inner: R,
    read: u64,
    total: u64,
    progress: &'a (dyn Fn(u64, u64) + Sync),
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.read += read as u64;
        (self.progress)(self.read, self.total);
        Ok(read)
    }
}
