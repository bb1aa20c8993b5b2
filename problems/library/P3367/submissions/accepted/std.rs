use std::io::{self, Read};

fn find(parent: &mut [u32], mut x: usize) -> usize {
    while parent[x] as usize != x {
        parent[x] = parent[parent[x] as usize];
        x = parent[x] as usize;
    }
    x
}

fn main() {
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes).unwrap();
    let mut numbers = bytes
        .split(|byte| byte.is_ascii_whitespace())
        .filter(|word| !word.is_empty())
        .map(|word| word.iter().fold(0, |value, digit| 10 * value + (digit - b'0') as usize));
    let n = numbers.next().unwrap();
    let m = numbers.next().unwrap();
    let mut parent: Vec<u32> = (0..=n as u32).collect();
    let mut out = String::new();
    for _ in 0..m {
        let kind = numbers.next().unwrap();
        let x = find(&mut parent, numbers.next().unwrap());
        let y = find(&mut parent, numbers.next().unwrap());
        if kind == 1 {
            parent[x] = y as u32;
        } else {
            out.push_str(if x == y { "Y\n" } else { "N\n" });
        }
    }
    print!("{}", out);
}
