"""Rules for the board games on the promo page."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

STRAIGHT = [(0, 1), (0, -1), (1, 0), (-1, 0)]
DIAGONAL = [(1, 1), (1, -1), (-1, 1), (-1, -1)]
DIRECTIONS = {"bishop": DIAGONAL, "rook": STRAIGHT, "queen": STRAIGHT + DIAGONAL}


class Piece(NamedTuple):
    colour: str
    kind: str


def life_step(grid: list[list[bool]]) -> list[list[bool]]:
    """Return the next generation of Conway's Game of Life.

    A live cell with two or three live neighbours (out of eight) stays alive, and
    a dead cell with exactly three comes to life; all others are dead. Everything
    beyond the edges of the grid counts as dead. ``grid`` is not changed.
    """
    height = len(grid)
    width = len(grid[0]) if grid else 0
    result: list[list[bool]] = []
    for row in range(height):
        new_row: list[bool] = []
        for col in range(width):
            alive = 0
            for d_row, d_col in STRAIGHT + DIAGONAL:
                if row + d_row < height and col + d_col < width:
                    alive += grid[row + d_row][col + d_col]
            new_row.append(alive == 3 or (grid[row][col] and alive == 2))
        result.append(new_row)
    return result


def sliding_moves(board: Mapping[str, Piece], square: str) -> list[str]:
    """Return the squares that the bishop, rook or queen on ``square`` can reach.

    The piece moves any distance along its lines, up to the edge of the board.
    It stops short of a piece of its own colour, and may capture the first piece
    of the other colour on a line but not go beyond it. Whether the move would
    leave a king in check is not looked at.

    Args:
        board: Maps the occupied squares, ``"a1"`` to ``"h8"``, to pieces.
        square: The square of the piece to move.

    Returns:
        The squares in alphabetical order.

    Raises:
        KeyError: If there is no piece on ``square``.
        ValueError: If the piece is not a bishop, rook or queen.
    """
    piece = board[square]
    if piece.kind not in DIRECTIONS:
        raise ValueError(f"not a sliding piece: {piece.kind}")
    moves: list[str] = []
    for d_file, d_rank in DIRECTIONS[piece.kind]:
        file, rank = ord(square[0]) - ord("a") + d_file, int(square[1]) - 1 + d_rank
        while 0 <= file < 8 and 0 <= rank < 8:
            target = "abcdefgh"[file] + str(rank + 1)
            blocker = board.get(target)
            if blocker is None or blocker.colour != piece.colour:
                moves.append(target)
            if blocker is not None:
                break
            file, rank = file + d_file, rank + d_rank
    return sorted(moves)
