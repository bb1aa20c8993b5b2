use std::io::{self, BufRead};

fn main() {
    let lines: Result<Vec<String>, io::Error> = io::stdin().lock().lines().collect();
    let sum: i64 = lines.expect("text").join(" ").split_whitespace().map(|word| word.parse::<i64>().expect("a number")).sum();
    println!("{}", sum);
}
