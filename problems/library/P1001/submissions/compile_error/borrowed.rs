// Uses what was moved.
fn main() {
    let line = String::from("1 2");
    let moved = line;
    println!("{} {}", line, moved);
}
