//! What commands say to people: `reticent account` to the letter, and no help in the words of the code.

mod run;

use run::reticent;

/// The answer of `reticent account` to a person.
fn said(arguments: &str) -> String {
    let run = reticent(&format!("account --delta 1e-6 {arguments}"));
    assert_eq!((run.code, run.err.as_str()), (0, ""), "{arguments}");
    run.out
}

#[test]
fn the_calculator_answers_what_its_page_shows() {
    let page = include_str!("../../../docs/guide/calculator.md");
    let block = |language: &str| {
        let block = page.split_once(&format!("```{language}\n")).unwrap().1;
        block.split_once("```\n").unwrap().0
    };
    let command = block("sh").replace("\\\n", " ");
    let arguments = command.trim().strip_prefix("reticent ").unwrap();
    assert_eq!(reticent(arguments).out, block("text"));
}

#[test]
fn the_answer_reads_like_this() {
    let run = reticent(
        "account --event gaussian:noise=20,count=30 --event gaussian:noise=5,count=2 --delta 1e-6",
    );
    let expected = "\
ε = 1.736

  delta       1e-6         must be far below 1/n, n being the number of records
  adjacency   replace-one  one record replaced by any other; n is public (the default)
  noise       σ/Δ          for sums of vectors of norm at most C, Δ = 2C
  accountant  gaussian     the exact δ(ε) of composed Gaussians

  event               count     share
  gaussian  noise=20     30    48.4 %  █████████▋
  gaussian  noise=5       2    51.6 %  ██████████▍
";
    assert_eq!(run.out, expected);
}

#[test]
fn the_solution_reads_like_this() {
    let run = reticent(
        "account --event gaussian:count=30 --adjacency add-remove --delta 1e-6 --epsilon 1 \
         --solve noise",
    );
    let expected = "\
noise = 23.1396   for ε = 1.000

  delta       1e-6         must be far below 1/n, n being the number of records
  adjacency   add-remove   one record added or removed; n is private
  noise       σ/Δ          for sums of vectors of norm at most C, Δ = C
  accountant  gaussian     the exact δ(ε) of composed Gaussians

  event                    count     share
  gaussian  noise=23.1396     30   100.0 %  ████████████████████
";
    assert_eq!(run.out, expected);
}

#[test]
fn an_adjacency_that_nobody_chose_is_explained() {
    let sampled = "--event subsampled-gaussian:noise=2,rate=0.01,count=10";
    let poisson = said(&format!("{sampled},sampling=poisson"));
    assert!(poisson.contains("n is private; Poisson sampling allows no other\n"));
    let fixed = said(&format!("{sampled},sampling=without-replacement"));
    assert!(fixed.contains("n is public; sampling without replacement allows no other\n"));
    let asked = said("--event gaussian:noise=2 --adjacency replace-one");
    assert!(asked.contains("n is public\n"));
}

#[test]
fn noise_is_explained_where_there_is_some_and_only_there() {
    let row = "  noise       σ/Δ          for sums of vectors of norm at most C, Δ = ";
    for (events, sensitivity) in [
        ("--event gaussian:noise=2", "2C\n"),
        ("--event gaussian:noise=2 --adjacency add-remove", "C\n"),
        (
            "--event subsampled-gaussian:noise=2,rate=0.1,sampling=poisson",
            "C\n",
        ),
        ("--event pure:epsilon=1 --event gaussian:noise=9", "2C\n"),
    ] {
        let text = said(events);
        assert!(text.contains(&format!("{row}{sensitivity}")), "{text}");
    }
    for events in ["pure:epsilon=1", "zcdp:rho=0.1", "exponential:range=1"] {
        assert!(!said(&format!("--event {events}")).contains("σ/Δ"));
    }
}

#[test]
fn an_epsilon_of_zero_is_not_shown_as_perfect_privacy() {
    let free = said("--event gaussian:noise=1e9");
    assert!(
        free.starts_with("ε = 0   δ alone covers these releases\n"),
        "{free}"
    );
    assert!(!said("--event gaussian:noise=9").contains("δ alone"));
}

#[test]
fn a_large_delta_is_warned_of_to_people_and_leaves_the_json_alone() {
    let ask = |delta: &str, form: &str| {
        reticent(&format!(
            "account --delta {delta} --event gaussian:noise=9{form}"
        ))
    };
    let warning = "a δ this large allows publishing whole records";
    for delta in ["0.01", "1/2", "0.999"] {
        assert!(ask(delta, "").out.contains(warning), "{delta}");
        let json = ask(delta, " --json");
        assert_eq!((json.code, json.err.as_str()), (0, ""));
        assert!(!json.out.contains(warning));
    }
    let small = ask("0.0099", "").out;
    assert!(!small.contains(warning) && small.contains("must be far below 1/n"));
}

#[test]
fn a_long_number_moves_all_meanings() {
    let text = reticent("account --delta 1/60000 --event gaussian:noise=9").out;
    let column = |meaning: &str| {
        let line = text.lines().find(|line| line.contains(meaning)).unwrap();
        line.split_once(meaning).unwrap().0.chars().count()
    };
    assert!(text.contains("1.6666666666666667e-5"));
    assert_eq!(column("must be"), column("one record"));
    assert_eq!(column("must be"), column("for sums"));
}

/// A word like `SelectOnly`: capitals inside, as types have them, and NaN does not count.
fn camel_case(word: &str) -> bool {
    let letters: Vec<char> = word.chars().collect();
    let humps = letters.windows(2);
    let humps = humps.filter(|pair| pair[0].is_lowercase() && pair[1].is_uppercase());
    let name = letters.first().is_some_and(|first| first.is_uppercase());
    name && word != "NaN" && humps.count() > 0
}

#[test]
fn no_help_is_in_the_words_of_the_code() {
    const COMMANDS: [&str; 14] = [
        "",
        "fit",
        "plan",
        "schema",
        "check",
        "demo",
        "account",
        "predict",
        "evaluate",
        "inspect",
        "verify",
        "export",
        "completions",
        "man",
    ];
    // Names of a method and of programs, and an example in another language.
    let known = ["AdaSSP", "TensorFlow", "NumPy", "InferenceSession"];
    let check = |place: &str, text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric());
        let found: Vec<&str> = words
            .filter(|word| camel_case(word) && !known.contains(word))
            .collect();
        assert_eq!(found, [""; 0], "{place}");
    };
    for command in COMMANDS {
        for form in ["-h", "--help"] {
            check(command, &reticent(&format!("{command} {form}")).out);
        }
    }
    // What is missing is explained at length; so is a schema.
    check("fit", &reticent("fit x").err);
    check("plan", &reticent("plan").err);
    check(
        "plan",
        &reticent("plan --task multinomial --adjacency add-remove").err,
    );
    let table = std::env::temp_dir().join(format!("reticent-words-{}.csv", std::process::id()));
    std::fs::write(&table, "age,ill\n").unwrap();
    let file = table.display();
    for target in ["", " --target ill"] {
        let template = reticent(&format!("schema {file}{target}"));
        assert_eq!(template.code, 0, "{}", template.err);
        check("schema", &template.out);
    }
    std::fs::remove_file(&table).unwrap();
    for method in reticent::fit::METHODS {
        check(method.name, method.meaning);
        for option in method.options {
            check(option.name, option.meaning);
            check(option.name, &option.allowed());
        }
    }
    assert!(camel_case("SelectOnly") && !camel_case("LASSO") && !camel_case("Booleans"));
}
