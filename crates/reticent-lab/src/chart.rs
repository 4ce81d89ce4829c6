//! Line charts as SVG: means with their spread, on axes that may be logarithmic.
//!
//! Two hundred lines instead of a plotting library: the charts of this project have one shape,
//! and their files should be small, plain text and the same on every machine.

use std::fmt::Write;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 420.0;
/// Room for the axis labels on the left and below, the title above, and the names of the
/// lines on the right.
const LEFT: f64 = 70.0;
const RIGHT: f64 = 190.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 60.0;

/// Colours that colour-blind readers can distinguish (Okabe–Ito).
const COLOURS: [&str; 8] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999999",
];

/// How an axis is divided.
#[derive(Clone, Copy, PartialEq)]
pub enum Scale {
    Linear,
    Logarithmic,
}

/// What an axis shows.
pub struct Axis {
    pub label: &'static str,
    pub scale: Scale,
}

/// A mean at a place, with the deviation around it.
#[derive(Clone, Copy)]
pub struct Point {
    pub x: f64,
    pub mean: f64,
    pub deviation: f64,
}

/// What is drawn.
pub struct Line {
    pub name: String,
    pub points: Vec<Point>,
    /// Dashed lines are bounds and references, without a band.
    pub dashed: bool,
}

/// A chart.
pub struct Chart {
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    pub lines: Vec<Line>,
}

impl Chart {
    /// The chart as the text of an SVG file.
    pub fn svg(&self) -> String {
        let x = Ticks::of(self.x.scale, self.all(|point| [point.x, point.x]));
        let y = Ticks::of(
            self.y.scale,
            self.all(|point| [point.mean - point.deviation, point.mean + point.deviation]),
        );
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             font-family=\"system-ui, sans-serif\" font-size=\"13\" fill=\"#222\">\n\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
             <text x=\"{LEFT}\" y=\"28\" font-size=\"16\" font-weight=\"600\">{}</text>\n",
            escaped(&self.title)
        );
        self.axes(&mut svg, &x, &y);
        let mut label_heights: Vec<f64> = Vec::new();
        let mut drawn = 0;
        for line in &self.lines {
            // A reference has the colour of the line that it follows.
            drawn += usize::from(!line.dashed);
            let colour = COLOURS[drawn.saturating_sub(1) % COLOURS.len()];
            draw(&mut svg, line, colour, &x, &y, &mut label_heights);
        }
        svg.push_str("</svg>\n");
        svg
    }

    /// A pair of numbers of every point, flattened.
    fn all(&self, pair: impl Fn(&Point) -> [f64; 2]) -> Vec<f64> {
        let points = self.lines.iter().flat_map(|line| &line.points);
        points.flat_map(pair).collect()
    }

    fn axes(&self, svg: &mut String, x: &Ticks, y: &Ticks) {
        let floor = HEIGHT - BOTTOM;
        let end = WIDTH - RIGHT;
        for &(value, ref label) in &y.marks {
            let at = vertical(y, value);
            push(
                svg,
                format_args!(
                    "<line x1=\"{LEFT}\" x2=\"{end}\" y1=\"{at:.1}\" y2=\"{at:.1}\" stroke=\"#ddd\"/>\n\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>\n",
                    LEFT - 8.0,
                    at + 4.0
                ),
            );
        }
        for &(value, ref label) in &x.marks {
            let at = horizontal(x, value);
            push(
                svg,
                format_args!(
                    "<line x1=\"{at:.1}\" x2=\"{at:.1}\" y1=\"{floor}\" y2=\"{:.1}\" stroke=\"#222\"/>\n\
                 <text x=\"{at:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>\n",
                    floor + 5.0,
                    floor + 20.0
                ),
            );
        }
        push(
            svg,
            format_args!(
                "<line x1=\"{LEFT}\" x2=\"{end}\" y1=\"{floor}\" y2=\"{floor}\" stroke=\"#222\"/>\n\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\n\
             <text transform=\"translate(18 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                (LEFT + end) / 2.0,
                HEIGHT - 14.0,
                escaped(self.x.label),
                (TOP + floor) / 2.0,
                escaped(self.y.label)
            ),
        );
    }
}

/// The band, the line, its points and its name.
fn draw(
    svg: &mut String,
    line: &Line,
    colour: &str,
    x: &Ticks,
    y: &Ticks,
    label_heights: &mut Vec<f64>,
) {
    let place = |point: &Point, value: f64| {
        format!("{:.1},{:.1}", horizontal(x, point.x), vertical(y, value))
    };
    let path = |value: fn(&Point) -> f64| -> Vec<String> {
        let points = line.points.iter();
        points.map(|point| place(point, value(point))).collect()
    };
    if !line.dashed {
        let upper = path(|point| point.mean + point.deviation);
        let mut lower = path(|point| point.mean - point.deviation);
        lower.reverse();
        push(
            svg,
            format_args!(
                "<polygon points=\"{} {}\" fill=\"{colour}\" opacity=\"0.15\"/>\n",
                upper.join(" "),
                lower.join(" ")
            ),
        );
        for point in &line.points {
            push(
                svg,
                format_args!(
                    "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3.5\" fill=\"{colour}\"/>\n",
                    horizontal(x, point.x),
                    vertical(y, point.mean)
                ),
            );
        }
    }
    let dashes = if line.dashed {
        " stroke-dasharray=\"6 5\""
    } else {
        ""
    };
    push(
        svg,
        format_args!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"{dashes}/>\n",
            path(|point| point.mean).join(" ")
        ),
    );
    if let Some(last) = line.points.last().filter(|_| !line.name.is_empty()) {
        let height = free_height(vertical(y, last.mean), label_heights);
        push(
            svg,
            format_args!(
                "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"{colour}\">{}</text>\n",
                WIDTH - RIGHT + 8.0,
                height + 4.0,
                escaped(&line.name)
            ),
        );
    }
}

/// The nearest height beside the chart at which a name does not cover an earlier one.
fn free_height(wanted: f64, taken: &mut Vec<f64>) -> f64 {
    const LINE: f64 = 16.0;
    let beside = TOP..=HEIGHT - BOTTOM;
    let free = |height: f64, taken: &[f64]| {
        beside.contains(&height) && taken.iter().all(|other| (other - height).abs() >= LINE)
    };
    let shifts = (0..40).flat_map(|k| [f64::from(k), -f64::from(k)]);
    let height = shifts
        .map(|shift| wanted + shift * LINE / 2.0)
        .find(|&height| free(height, taken))
        .unwrap_or(wanted);
    taken.push(height);
    height
}

/// An axis: where it begins and ends, and its marks with their labels.
struct Ticks {
    scale: Scale,
    low: f64,
    high: f64,
    marks: Vec<(f64, String)>,
}

impl Ticks {
    /// An axis around values, of which logarithmic ones must be positive.
    fn of(scale: Scale, values: Vec<f64>) -> Self {
        let values = values
            .into_iter()
            .filter(|value| scale == Scale::Linear || *value > 0.0);
        let (low, high) = values.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        match scale {
            Scale::Linear => Self::linear(low, high),
            Scale::Logarithmic => Self::logarithmic(low, high),
        }
    }

    /// Round steps of 1, 2 or 5 times a power of ten, about six of them.
    fn linear(low: f64, high: f64) -> Self {
        let rough = ((high - low) / 6.0).max(1e-12);
        let magnitude = 10f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|round| round * magnitude)
            .find(|step| *step >= rough)
            .unwrap_or(rough);
        let (first, last) = ((low / step).floor(), (high / step).ceil());
        let digits = usize::try_from(-(step.log10().floor() as i64)).unwrap_or(0);
        let count = (last - first) as u32;
        let marks = (0..=count)
            .map(|k| (first + f64::from(k)) * step)
            .map(|value| (value, format!("{value:.digits$}")))
            .collect();
        Self {
            scale: Scale::Linear,
            low: first * step,
            high: last * step,
            marks,
        }
    }

    /// A mark at each power of ten, and at 2 and 5 times it where few powers are shown.
    fn logarithmic(low: f64, high: f64) -> Self {
        let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
        let between: &[f64] = if last - first <= 3 {
            &[1.0, 2.0, 5.0]
        } else {
            &[1.0]
        };
        let marks: Vec<(f64, String)> = (first..=last)
            .flat_map(|power| between.iter().map(move |round| round * 10f64.powi(power)))
            .filter(|value| (low / 1.01..=high * 1.01).contains(value))
            .map(|value| (value, short(value)))
            .collect();
        Self {
            scale: Scale::Logarithmic,
            low,
            high,
            marks,
        }
    }

    /// How far along the axis a value lies, from 0 to 1.
    fn share(&self, value: f64) -> f64 {
        let share = match self.scale {
            Scale::Linear => (value - self.low) / (self.high - self.low),
            // A band may reach below 0, which a logarithm never does.
            Scale::Logarithmic => {
                (value.max(self.low) / self.low).ln() / (self.high / self.low).ln()
            }
        };
        share.clamp(0.0, 1.0)
    }
}

/// The label of a number on an axis.
fn short(value: f64) -> String {
    if (0.001..100_000.0).contains(&value) {
        // Powers of ten times 1, 2 or 5: two digits are exact.
        format!("{}", (value * 1e6).round() / 1e6)
    } else {
        format!("{value:.0e}")
    }
}

fn horizontal(axis: &Ticks, value: f64) -> f64 {
    LEFT + axis.share(value) * (WIDTH - RIGHT - LEFT)
}

fn vertical(axis: &Ticks, value: f64) -> f64 {
    HEIGHT - BOTTOM - axis.share(value) * (HEIGHT - BOTTOM - TOP)
}

fn push(svg: &mut String, text: std::fmt::Arguments) {
    // Writing to a string cannot fail.
    let _ = svg.write_fmt(text);
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
