// Reads numbers without a sign only.
use std::io;

fn main() {
    let mut line = String::new();
    io::stdin().read_line(&mut line).unwrap();
    println!("{}", line.split_whitespace().map(|word| word.parse::<u64>().unwrap()).sum::<u64>());
}
