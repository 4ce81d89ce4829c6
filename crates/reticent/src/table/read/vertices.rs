//! The vertices of a polytope, one per line: public numbers, so errors may quote them.

use std::io::Read;
use std::path::Path;

use super::source::Source;
use super::{ReadError, ReadProblem, whole_file};

/// Reads points of one value per column, one point per line, its values separated by blanks or commas.
/// Empty lines are skipped, and so is what follows a `#`.
pub fn read_vertices(path: &Path) -> Result<Vec<Vec<f64>>, ReadError> {
    let mut source = Source::open(path, &|_, _| {}).map_err(whole_file(path))?;
    let mut text = Vec::new();
    if let Err(error) = source.read_to_end(&mut text) {
        return Err(whole_file(path)(source.problem(error)));
    }
    let text = String::from_utf8(text).map_err(|_| whole_file(path)(ReadProblem::NotUtf8))?;
    parse(&text).map_err(|(line, problem)| ReadError {
        file: path.to_owned(),
        line,
        column: None,
        problem,
    })
}

/// The points of a text; or the line, from 1, and what is wrong with it.
fn parse(text: &str) -> Result<Vec<Vec<f64>>, (Option<u64>, ReadProblem)> {
    let mut points: Vec<Vec<f64>> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let values = line.split('#').next().unwrap_or("");
        let fields = values.split([',', ' ', '\t', '\r']);
        let mut point = Vec::new();
        for field in fields.filter(|field| !field.is_empty()) {
            match field.parse::<f64>() {
                Ok(value) if value.is_finite() => point.push(value),
                _ => return Err((Some(number), ReadProblem::VertexNumber(point.len() + 1))),
            }
        }
        match points.first().map(Vec::len) {
            _ if point.is_empty() => {}
            Some(width) if width != point.len() => {
                let problem = ReadProblem::VertexLength(width, point.len());
                return Err((Some(number), problem));
            }
            _ => points.push(point),
        }
    }
    match points.is_empty() {
        true => Err((None, ReadProblem::NoVertices)),
        false => Ok(points),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_read_one_per_line() {
        let text = "# two models\n1, 0 0.5\r\n\n-1e-3\t2,3 # the second\n";
        assert_eq!(parse(text).unwrap(), [[1.0, 0.0, 0.5], [-1e-3, 2.0, 3.0]]);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        for (text, place, words) in [
            (
                "1 2\n3 x",
                Some(2),
                "number 2 of the vertex is not a finite number",
            ),
            (
                "1 inf",
                Some(1),
                "number 2 of the vertex is not a finite number",
            ),
            (
                "1 2\n\n3",
                Some(3),
                "the first vertex has 2 numbers, and this one has 1",
            ),
            ("# nothing\n", None, "no vertices"),
        ] {
            let (line, problem) = parse(text).unwrap_err();
            assert_eq!(line, place, "{problem}");
            assert!(problem.to_string().contains(words), "{problem}");
        }
        let absent = read_vertices(Path::new("no such file")).unwrap_err();
        assert!(
            absent.to_string().contains("no such file; check"),
            "{absent}"
        );
    }
}
