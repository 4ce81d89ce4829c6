//! A map of features by flags and by a schema: fitted, planned, shown, applied by `predict`, and
//! refused with a remedy.

mod run;
mod table;

use run::reticent;
use serde_json::Value;
use table::Folder;

const PRIVACY: &str = "--task logistic --epsilon 5 --delta 1e-6 --classes=-1,1";
const FOURIER: &str = "--features fourier --feature-count 60 --feature-scale 0.5";

/// LIBSVM text of points of a square, whose class is whether both numbers have the same sign.
fn xor(rows: usize) -> String {
    let mut next = table::numbers(5);
    let mut unit = || 2.0 * next() - 1.0;
    let line = |_| {
        let (x, y) = (unit(), unit());
        let label = if x * y > 0.0 { "+1" } else { "-1" };
        format!("{label} 1:{x:.3} 2:{y:.3}\n")
    };
    (0..rows).map(line).collect()
}

/// LIBSVM text of 8 × 8 pixels: a bright row or a bright column; the last pixels are never bright.
fn bars(rows: usize) -> String {
    let line = |i: usize| {
        let (label, at) = (i % 2, i / 2 % 7);
        let pixel = |k: usize| match label {
            0 => 8 * at + k + 1,
            _ => at + 8 * k + 1,
        };
        let pixels: String = (0..7).map(|k| format!(" {}:1", pixel(k))).collect();
        format!("{} {pixels}\n", if label == 1 { "+1" } else { "-1" })
    };
    (0..rows).map(line).collect()
}

fn json(arguments: &str) -> Value {
    let run = reticent(arguments);
    assert_eq!(run.code, 0, "{arguments}\n{}", run.err);
    serde_json::from_str(&run.out).unwrap()
}

/// The refusal of a command that must not work.
fn refused(arguments: &str) -> String {
    let run = reticent(arguments);
    assert_eq!(run.code, 2, "{arguments}\n{}{}", run.out, run.err);
    run.err
}

#[test]
fn fourier_features_bend_the_boundary_and_predict_applies_them() {
    let folder = Folder::new("features-fourier");
    let data = folder.write("xor", &xor(4000));
    let (model, plain) = (folder.at("model.json"), folder.at("plain.json"));
    let fit = |flags: &str, out: &str| {
        let answer = json(&format!(
            "fit --json {data} {PRIVACY} {flags} --test {data} --out {out}"
        ));
        (answer["metrics"]["auc"].as_f64().unwrap(), answer)
    };
    let (without, _) = fit("--rows linf=1", &plain);
    let (with, answer) = fit(FOURIER, &model);
    assert!(without < 0.6 && with > 0.9, "{without} {with}");
    assert_eq!(answer["d"], 60);
    assert_eq!(answer["rows"], "l2=1");
    assert_eq!(answer["features"]["kind"], "fourier");
    assert_eq!(answer["features"]["inputs"], 2);

    assert_eq!(reticent(&format!("verify {model}")).code, 0);
    let card = reticent(&format!("inspect {model}")).out;
    let sentence = "random Fourier features: 2 columns to 60, with scale 0.5 and seed 0";
    assert!(card.contains(sentence), "{card}");
    assert!(card.contains("of 60 features of a public map"), "{card}");
    assert!(card.contains("cos"), "{card}");
    let metrics = json(&format!("evaluate {data} --model {model} --json"));
    let measured = metrics["metrics"]["auc"]
        .as_f64()
        .or(metrics["auc"].as_f64());
    assert_eq!(measured, Some(with), "{metrics}");
    let predicted = reticent(&format!("predict {data} --model {model}"));
    assert_eq!(predicted.out.lines().count(), 4001);

    let exported = reticent(&format!(
        "export {model} --onnx {}",
        folder.at("model.onnx")
    ));
    assert_eq!(exported.code, 0, "{}", exported.err);
    let takes = "features       floats   [records, 2]";
    assert!(exported.out.contains(takes), "{}", exported.out);
}

#[test]
fn the_shape_of_the_images_says_how_many_columns_there_are() {
    let folder = Folder::new("features-images");
    let data = folder.write("bars", &bars(600));
    let model = folder.at("model.json");
    for map in [
        "--features scattering --image 8x8",
        "--features random-convolutions --image 8x8 --feature-count 100 --feature-seed 4",
    ] {
        let answer = json(&format!(
            "fit --json {data} {PRIVACY} {map} --test {data} --out {model} --overwrite"
        ));
        assert!(answer["metrics"]["auc"].as_f64().unwrap() > 0.9, "{answer}");
        // Neither columns nor classes were taken from the data.
        assert_eq!(answer["assumed_public"].as_array().unwrap().len(), 0);
        let plan =
            json(&format!("plan --json --n 600 {PRIVACY} {map}").replace("--classes=-1,1", ""));
        assert_eq!(plan["d"], answer["d"]);
        assert_eq!(plan["features"], answer["features"]);
    }
    let plan = reticent(
        "plan --n 600 --task logistic --epsilon 5 --delta 1e-6 --features scattering --image 8x8",
    );
    assert!(
        plan.out.contains("scattering of images 1x8x8 to"),
        "{}",
        plan.out
    );
    assert!(
        plan.out.contains("each row of features is clipped"),
        "{}",
        plan.out
    );
}

#[test]
fn a_schema_declares_the_map() {
    let folder = Folder::new("features-schema");
    let text: String = xor(2000)
        .replace(" 1:", ",")
        .replace(" 2:", ",")
        .replace("+1", "1");
    let data = folder.write("xor.csv", &format!("same,a,b\n{text}"));
    let column = |name: &str| {
        format!("[[column]]\nname = \"{name}\"\nkind = \"numeric\"\nbounds = [-1, 1]\n")
    };
    let target = "[[column]]\nname = \"same\"\nkind = \"target\"\nclasses = [\"-1\", \"1\"]\n";
    let map = "[features]\nkind = \"fourier\"\noutputs = 60\nscale = 0.5\n";
    let schema = format!("version = 1\n{map}{target}{}{}", column("a"), column("b"));
    let schema = folder.write("schema.toml", &schema);
    let model = folder.at("model.json");
    let common = format!("--schema {schema} --task logistic --epsilon 5 --delta 1e-6");
    let answer = json(&format!(
        "fit --json {data} {common} --test {data} --out {model}"
    ));
    assert!(answer["metrics"]["auc"].as_f64().unwrap() > 0.9, "{answer}");
    assert_eq!(answer["rows"], "l2=1");
    let plan = json(&format!("plan --json --n 2000 {common}"));
    assert_eq!(plan["features"], answer["features"]);
    assert_eq!(reticent(&format!("predict {data} --model {model}")).code, 0);
    let twice = refused(&format!(
        "fit {data} {common} --out {model} --overwrite {FOURIER} --feature-seed 9"
    ));
    assert!(twice.contains("the schema declares another"), "{twice}");
}

/// Whether columns are scaled is public: a schema does it, and a scale is for the columns as they are.
#[test]
fn fourier_features_of_columns_that_nothing_scales_are_warned_of() {
    let words = "within about [-1, 1]";
    let plan = "plan --json --n 1000 --d 9 --task logistic --epsilon 1 --delta 1e-6";
    let warned = |flags: &str| json(&format!("{plan} {flags}"))["warnings"].to_string();
    let fourier = "--features fourier --feature-count 50";
    assert!(warned(fourier).contains(words));
    assert_eq!(warned(&format!("{fourier} --feature-scale 200")), "[]");
    assert_eq!(warned("--rows linf=1"), "[]");
    let folder = Folder::new("features-unscaled");
    let data = folder.write("xor", &xor(200));
    let out = folder.at("model.json");
    let map = "--features fourier --feature-count 9";
    let fit = reticent(&format!("fit {data} {PRIVACY} {map} --out {out}"));
    assert!(fit.err.contains(words), "{}", fit.err);
    let column =
        |name| format!("[[column]]\nname = \"{name}\"\nkind = \"numeric\"\nbounds = [0, 255]\n");
    let schema = folder.write(
        "schema.toml",
        &format!("version = 1\n{}{}", column("a"), column("b")),
    );
    let plan = plan.replace("--d 9", &format!("--schema {schema}"));
    assert_eq!(
        json(&format!("{plan} {fourier}"))["warnings"].to_string(),
        "[]"
    );
}

#[test]
fn maps_that_do_not_fit_are_refused_with_a_remedy() {
    let plan = "plan --n 100 --task logistic --epsilon 1 --delta 1e-6";
    for (flags, words) in [
        (
            "--d 784 --features scattering",
            "784 columns are those of --image 28x28",
        ),
        ("--d 785 --features scattering", "--image HEIGHTxWIDTH"),
        (
            "--d 780 --features scattering --image 28x28",
            "the table has 780 columns",
        ),
        (
            "--d 4 --features scattering --image 2x2",
            "smaller image side = 2",
        ),
        ("--d 9 --features fourier", "--feature-count 1000"),
        ("--features fourier --feature-count 10", "--d"),
        (
            "--d 9 --features fourier --feature-count 10 --image 3x3",
            "no such choice",
        ),
        ("--d 9 --features learned", "scattering"),
        ("--d 9 --rows linf=1 --feature-count 9", "--features"),
        ("--d 9 --features scattering --image 3by3", "no image shape"),
        (
            "--features scattering --image 32x32x3",
            "32 channels of 32x3 pixels; channels come first: write 3x32x32",
        ),
        (
            "--features random-convolutions --image 28x28 --feature-count 100000000",
            "'--feature-count <D>': it is 100000000; a map has at most 1048576 features",
        ),
        (
            "--d 9 --features fourier --feature-count 9 --feature-scale 0",
            "'--feature-scale <SIGMA>': it is 0; it must be from 1e-6 to 1e6",
        ),
    ] {
        let said = refused(&format!("{plan} {flags}"));
        assert!(said.contains(words), "{flags}\n{said}");
    }
    let folder = Folder::new("features-refused");
    let data = folder.write("bars", &bars(20));
    let out = folder.at("model.json");
    let fit = format!("fit {data} {PRIVACY} --out {out} --features scattering --image 8x8");
    let said = refused(&format!("{fit} --columns 60"));
    assert!(
        said.contains("1x8x8 (64 columns)") && said.contains("60 columns"),
        "{said}"
    );
    assert_eq!(folder.names(), ["bars"]);
}
