//! A batch, its members and what is summed over it have no name outside: nobody else can make or read one.
use reticent::population::Batch;
use reticent::population::Members;
use reticent::population::{BatchSum, WideSums};

fn main() {}
