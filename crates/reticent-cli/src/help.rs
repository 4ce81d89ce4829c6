//! The long help of the commands that fit: what to know before the first run.

/// The start of `reticent fit --help`.
pub const FIT_ABOUT: &str = "\
Fits a sparse linear model to a private table, spends a stated budget, and writes the model \
with a certificate of what was spent. Only noisy answers are released; the bounds that \
determine the noise are enforced, row by row.";

/// The examples of `reticent fit -h`.
pub const FIT_EXAMPLES: &str = "\
Examples (--help has more, and how to choose):
  reticent fit train.svm --task logistic --epsilon 1 --delta 1e-6 \\
    --rows linf=1 --test test.svm --out model.json
  reticent fit table.csv --schema schema.toml --task linear \\
    --epsilon 1 --delta 1e-6 --out model.json";

/// The end of `reticent fit --help`.
pub const FIT_TEACHING: &str = "\
How to choose, before you look at the data:

  --epsilon   Around 1 is a strong promise, 3 a usual one, beyond 10 a weak one.
              Budgets of several fits on the same people add up.
  --rho       In place of --epsilon where more will be released: under the same
              adjacency the ρ of all releases simply add up. 0.02 is about
              ε = 0.9 at δ = 1e-6 and strong; beyond 2 is weak.
  --delta     Far below 1/n for n records; 1/n² is a good choice.
  --rows      l2=1 for text (tf-idf, normalised rows), linf=1 for 0/1 features
              and features scaled by public numbers. With --schema it is
              linf=1: a schema maps its features to [−1, 1].
  --target-range
              What any such table could hold, not what this one does.
  --adjacency replace-one: neighbours differ in one record, n is public.
              add-remove: one has one more record; n is private, --public-n
              takes its place, and nothing that reveals n is printed.

  --nonzero   How many weights the model may have, over all classes together.
              Fewer are easier to read. Leave it out where many features each
              matter a little; give it where a table has thousands of dense
              columns. It must not come from this table; auto finds it from
              what is released anyway, and keeps the weights that exceed
              their noise: for models whose weights are to be read.
  --method    auto chooses from n, d, --nonzero, the budget and the bounds, and
              says why. ight is iterative gradient hard thresholding: noisy
              steps on all features; select chooses features first. Their
              guarantees are the same: the (ε, δ) that is printed.

  --features  For pictures, and for boundaries that bend: a map that is fixed in
              advance, so that it learns nothing from the table and costs no
              privacy, turns each row into features before the linear model.
              scattering and random-convolutions are for images (--image
              28x28), fourier for other tables (--feature-count 1000). They
              make many dense features: start without, and see if it is better.

Everything else that a method needs follows from n, d, epsilon and the bounds alone, \
unless you give it. Trying several values and keeping the one that is best on --test is a \
choice made from data; make it on public data.

The certificate does not cover the figures of --test, the running time, memory or nnz.

Examples:
  Text in LIBSVM form, its columns and classes declared:
    reticent fit news.svm.gz --task logistic --classes=-1,1 --columns 62061 \\
      --rows l2=1 --epsilon 1 --delta 1e-9 --out model.json

  Sixteen weights; several classes; no privacy, for public data:
    reticent fit a9a --task logistic --nonzero 16 --rows linf=1 \\
      --epsilon 1 --delta 1e-9 --out model.json
    reticent fit news --task multinomial --classes 1,2,3 --rows l2=1 \\
      --epsilon 5 --delta 1e-9 --out model.json
    reticent fit public.svm --task logistic --rows linf=1 --epsilon inf \\
      --out model.json

  A table with names: write a schema, fill in its bounds, fit:
    reticent schema table.csv --target NAME > schema.toml
    reticent fit table.csv --schema schema.toml --task logistic \\
      --epsilon 1 --delta 1e-6 --out model.json

  Images, of 784 pixels a row:
    reticent fit digits.svm --task multinomial --classes 0,1,2,3,4,5,6,7,8,9 \\
      --features scattering --image 28x28 --epsilon 3 --delta 1e-9 \\
      --out model.json

  What would it cost, before any data is touched?
    reticent plan --n 30000 --d 123 --task logistic --rows linf=1 \\
      --epsilon 1 --delta 1e-6

Ctrl-C stops a fit at its next step: no file is written, and what was charged stays spent.

Exit code: 0 fitted; 2 the question makes no sense or has no answer; 1 a file could not be \
read or written; 130 interrupted.";

/// The start of `reticent plan --help`.
pub const PLAN_ABOUT: &str = "\
What a fit would do and spend, from public facts alone: its steps, its noise, each event that \
it would charge, and ε by each accountant. It takes the flags of `reticent fit`, with --n and \
--d in place of the data, and reads no private data (a schema and a file of vertices are public).";

/// The examples of `reticent plan`.
pub const PLAN_EXAMPLES: &str = "\
Example:
  reticent plan --n 30000 --d 123 --task logistic --rows linf=1 \\
    --epsilon 1 --delta 1e-6";

/// The start of `reticent demo --help`.
pub const DEMO_ABOUT: &str = "\
Makes a table of synthetic patients, fits a private model to it, compares it with the model without \
privacy, and explains every number. It needs no file and leaves none behind, unless --keep \
says where.";
