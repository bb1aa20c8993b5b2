use std::io::{stdin, Write};

fn line() -> String {
    let mut text = String::new();
    stdin().read_line(&mut text).unwrap();
    text.trim().to_string()
}

fn main() {
    let (mut low, mut high): (u32, u32) = (1, line().parse().unwrap());
    while low < high {
        let middle = (low + high) / 2;
        println!("? {middle}");
        std::io::stdout().flush().unwrap();
        match line().as_str() {
            "=" => (low, high) = (middle, middle),
            "<" => high = middle - 1,
            _ => low = middle + 1,
        }
    }
    println!("! {low}");
}
