//! The vertices of a polytope, one per line: public numbers, so errors may quote them.

use std::io::Read;
use std::path::Path;

use super::source::Source;
use super::{ReadError, ReadProblem, whole_file};

/// Reads points of one value per column, one point per line, its values separated by blanks or commas.
/// Empty lines are skipped, and so is what follows a `#`. Between two commas there must be a number.
pub fn read_vertices(path: &Path) -> Result<Vec<Vec<f64>>, ReadError> {
    let mut source = Source::open(path, &|_, _| {}).map_err(whole_file(path))?;
    let mut text = Vec::new();
    if let Err(error) = source.read_to_end(&mut text) {
        return Err(whole_file(path)(source.problem(error)));
    }
    let text = String::from_utf8(text).map_err(|_| whole_file(path)(ReadProblem::NotUtf8))?;
    parse(&text).map_err(|wrong| ReadError {
        file: path.to_owned(),
        line: wrong.line,
        column: wrong.field,
        problem: wrong.problem,
    })
}

/// What is wrong with a text, and where: the line and the field, from 1.
#[derive(Debug)]
struct Wrong {
    line: Option<u64>,
    field: Option<u64>,
    problem: ReadProblem,
}

/// The points of a text.
fn parse(text: &str) -> Result<Vec<Vec<f64>>, Wrong> {
    let mut points: Vec<Vec<f64>> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        let wrong = |field, problem| Wrong {
            line: Some(number),
            field,
            problem,
        };
        let point = parse_point(line.split('#').next().unwrap_or(""))
            .map_err(|(field, problem)| wrong(Some(field), problem))?;
        match points.first().map(Vec::len) {
            _ if point.is_empty() => {}
            Some(width) if width != point.len() => {
                return Err(wrong(None, ReadProblem::VertexLength(width, point.len())));
            }
            _ => points.push(point),
        }
    }
    match points.is_empty() {
        true => Err(Wrong {
            line: None,
            field: None,
            problem: ReadProblem::NoVertices,
        }),
        false => Ok(points),
    }
}

/// The numbers of a line, none if it is blank; or the field, from 1, and what is wrong with it.
fn parse_point(line: &str) -> Result<Vec<f64>, (u64, ReadProblem)> {
    let mut point = Vec::new();
    if line.trim().is_empty() {
        return Ok(point);
    }
    for between_commas in line.split(',') {
        let field = point.len() as u64 + 1;
        if between_commas.trim().is_empty() {
            return Err((field, ReadProblem::VertexFieldEmpty));
        }
        for text in between_commas.split_whitespace() {
            let field = point.len() as u64 + 1;
            match text.parse::<f64>() {
                Ok(value) if value.is_finite() => point.push(value),
                _ if text.contains(';') => return Err((field, ReadProblem::VertexSeparator)),
                _ => return Err((field, ReadProblem::VertexNumber)),
            }
        }
    }
    Ok(point)
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
            ("1 2\n3 x", (Some(2), Some(2)), "not a finite number"),
            ("1 inf", (Some(1), Some(2)), "not a finite number"),
            ("age,bmi\n1,2", (Some(1), Some(1)), "header"),
            ("1,,0", (Some(1), Some(2)), "the field is empty"),
            ("1,0\n,1", (Some(2), Some(1)), "the field is empty"),
            ("1, 0,", (Some(1), Some(3)), "the field is empty"),
            ("1;2", (Some(1), Some(1)), "commas or blanks"),
            (
                "1 2\n\n3",
                (Some(3), None),
                "the first vertex has 2 numbers, and this one has 1",
            ),
            ("# nothing\n", (None, None), "no vertices"),
        ] {
            let Wrong {
                line,
                field,
                problem,
            } = parse(text).unwrap_err();
            assert_eq!((line, field), place, "{text}: {problem}");
            assert!(problem.to_string().contains(words), "{text}: {problem}");
        }
        let absent = read_vertices(Path::new("no such file")).unwrap_err();
        assert!(
            absent.to_string().contains("no such file; check"),
            "{absent}"
        );
    }
}
