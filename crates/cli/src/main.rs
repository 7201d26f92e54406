//! `bancada`: the only place that reads arguments, prints and chooses exit codes.

fn main() {}
