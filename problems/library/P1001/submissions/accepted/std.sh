read -r a b
total=$(echo "$((a + b))" | tr -d ' ')
echo "$total"
