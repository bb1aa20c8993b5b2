# Rooks: a column for each row that has no hole there (augmenting paths).
import sys

board = sys.stdin.read().split()[1:]
n = len(board)
row_of = [-1] * n


def fits(row, seen):
    for column in range(n):
        if board[row][column] == "." and column not in seen:
            seen.add(column)
            if row_of[column] < 0 or fits(row_of[column], seen):
                row_of[column] = row
                return True
    return False


for row in range(n):
    fits(row, set())
queens = [0] * n
for column, row in enumerate(row_of):
    queens[row] = column + 1
print(*queens)
