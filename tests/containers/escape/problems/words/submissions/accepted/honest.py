for k in range(int(input())):
    print(f"w{k}{'x' * (k * k % 7)}")
