use super::*;
#[test]
fn probe() {
    let Ok(path) = std::env::var("PROBE") else {
        return;
    };
    for line in std::fs::read_to_string(path).unwrap().lines() {
        let v: Vec<&str> = line.split_whitespace().collect();
        let p = |i: usize| v[i].parse::<f64>().unwrap();
        let c = match v[0] {
            "P" => subsampled(POISSON, p(1), p(2), p(3) as u64),
            "W" => subsampled(REPLACE, p(1), p(2), p(3) as u64),
            _ => pure(p(1), p(3) as u64),
        };
        let t = std::time::Instant::now();
        let e = total(&[c], p(4));
        println!("{line} {e:.12e} {:.3}", t.elapsed().as_secs_f64() * 1e3);
    }
}
