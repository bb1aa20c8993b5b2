use std::io::{self, Read, Write};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut words = text.split_ascii_whitespace().map(|word| word.parse::<i64>().unwrap());
    let (n, q) = (words.next().unwrap(), words.next().unwrap());
    let mut before = vec![0i64];
    for i in 0..n as usize {
        before.push(before[i] + words.next().unwrap());
    }
    let mut out = String::new();
    for _ in 0..q {
        let (l, r) = (words.next().unwrap() as usize, words.next().unwrap() as usize);
        out.push_str(&format!("{}\n", before[r] - before[l - 1]));
    }
    io::stdout().write_all(out.as_bytes()).unwrap();
}
