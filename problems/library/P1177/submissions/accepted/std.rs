use std::io::{self, Read, Write};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut numbers: Vec<u32> = text.split_ascii_whitespace().skip(1).map(|word| word.parse().unwrap()).collect();
    numbers.sort_unstable();
    let mut out = io::BufWriter::new(io::stdout().lock());
    for number in numbers {
        write!(out, "{} ", number).unwrap();
    }
}
