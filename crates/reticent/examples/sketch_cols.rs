// temporary
use reticent::fit::*;
use reticent::matrix::{Dense, Matrix};
use reticent::noise::{Generator, Randomness};
use reticent::privacy::*;
use reticent::table::*;
fn uni(g: &mut Generator) -> f64 { (g.next_u64() >> 11) as f64 / (1u64 << 53) as f64 }
fn norm(g: &mut Generator) -> f64 { (-2.0 * uni(g).max(1e-300).ln()).sqrt() * (2.0 * std::f64::consts::PI * uni(g)).cos() }
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let n: usize = a[1].parse().unwrap();
    let d: usize = a[2].parse().unwrap();
    let seeds: u64 = a[3].parse().unwrap();
    let dist = &a[4]; // uniform or normal
    let cases: Vec<&str> = a[5].split(',').collect();
    let epss: Vec<f64> = a[6].split(',').map(|x| x.parse().unwrap()).collect();
    let range = TargetRange { low: 0.0, high: 1000.0 };
    for case in cases {
        for &eps in &epss {
            let mut r2s = vec![]; let mut framed = 0;
            for seed in 0..seeds {
                let mut g = Generator::not_private(seed + 1000);
                // per column: factor, offset (in [-1,1])
                let place: Vec<(f64, f64)> = (0..d).map(|j| match case {
                    "mixed" => [(1.0, 0.0), (10.0, 0.0), (200.0, 0.0), (1000.0, -0.99), (30.0, 0.7)][j % 5],
                    "some" => [(1.0, 0.0), (1.0, 0.0), (100.0, -0.99), (1.0, 0.0), (20.0, 0.5), (1.0,0.0)][j % 6],
                    "edge" => (1000.0, -0.99),
                    f => (f.parse().unwrap(), 0.0),
                }).collect();
                let w = [60.0, -50.0, 40.0, 30.0, -20.0];
                let mut make = |rows: usize| {
                    let (mut v, mut t) = (vec![], vec![]);
                    for _ in 0..rows {
                        let row: Vec<f64> = (0..d).map(|_| match dist.as_str() { "normal" => (norm(&mut g) / 3.0).clamp(-1.0, 1.0), "heavy" => ((norm(&mut g)).exp() / 20.0).min(1.0), _ => 2.0 * uni(&mut g) - 1.0 }).collect();
                        let s = if dist == "normal" { 1.73 } else { 1.0 };
                        t.push(500.0 + w.iter().zip(&row).map(|(w, x)| s * w * x).sum::<f64>() + 8.77 * norm(&mut g));
                        v.extend(row.iter().zip(&place).map(|(x, (f, o))| (o + x / f) as f32));
                    }
                    (v, t)
                };
                let (v, t) = make(n);
                let (tv, tt) = make(5000);
                let table = Table { features: Matrix::Dense(Dense::new(v, n, d).unwrap()), target: Target::Values(t), layout: Layout::Numbered { first: 0, width: d }, assumed: vec![] };
                let b = Budget::new(Epsilon::new(eps).unwrap(), Delta::new((n as f64).powi(-2)).unwrap());
                let facts = Facts { records: n as u64, columns: d, rows: RecordBound::Linf(1.0) };
                let (plan, _) = Auto::new(Task::Linear, b).plan(facts).unwrap();
                let rec = table.enforce(RecordBound::Linf(1.0), Some(range), true, Adjacency::ReplaceOne).unwrap();
                let f = plan.run(FitInput::Sealed(&rec), &mut Generator::not_private(seed), &mut ()).unwrap();
                let func = f.outputs()[0].clone();
                framed += f.released.ranges().len();
                if seed == 0 && std::env::var("SHOW").is_ok() { for r in f.released.ranges() { println!("{r:?}"); } println!("{func:?}"); for e in plan.summary() { println!("{} {}", e.name, e.value); } }
                let mean = tt.iter().sum::<f64>() / 5000.0;
                let var = tt.iter().map(|t| (t - mean).powi(2)).sum::<f64>();
                let mut err = 0.0;
                for (i, t) in tt.iter().enumerate() {
                    let row = &tv[i * d..(i + 1) * d];
                    let mut s = func.intercept;
                    for (j, w) in &func.weights {
                        let mut x = f64::from(row[*j as usize]);
                        if let Some(r) = f.released.ranges().iter().find(|r| r.column == *j) { x = x.clamp(r.low, r.high); }
                        s += w * x;
                    }
                    err += (500.0 + 500.0 * s - t).powi(2);
                }
                r2s.push(1.0 - err / var);
            }
            let m = r2s.iter().sum::<f64>() / seeds as f64;
            let sd = (r2s.iter().map(|x| (x - m).powi(2)).sum::<f64>() / seeds as f64).sqrt();
            println!("n={n} d={d} {dist} {case} eps={eps}: R2 {m:.3} +- {sd:.3}  framed {:.1}", framed as f64 / seeds as f64);
        }
    }
}
