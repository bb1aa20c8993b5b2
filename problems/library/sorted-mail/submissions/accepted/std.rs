use std::io::{self, Read};

fn main() {
    let mut text = String::new();
    io::stdin().read_to_string(&mut text).unwrap();
    let mut lines = text.lines();
    let send = lines.next().unwrap() == "send";
    for line in lines.skip(1) {
        let numbers: Vec<u64> = line.split_whitespace().map(|word| word.parse().unwrap()).collect();
        if send {
            let mut x = numbers[0];
            let mut cards = Vec::new();
            for place in 0..10 {
                cards.push((100 * place + x % 100).to_string());
                x /= 100;
            }
            println!("10 {}", cards.join(" "));
        } else {
            let x = numbers[1..].iter().rev().fold(0u64, |x, card| x * 100 + card % 100);
            println!("{}", x);
        }
    }
}
