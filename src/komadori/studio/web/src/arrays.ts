// Lists and arrays: looking into them, with a clear error where something must be there and is not.

export function at<T>(list: ArrayLike<T>, n: number): T {
  const found = list[n];
  if (found === undefined) throw new RangeError(`there is no ${n} in a list of ${list.length}`);
  return found;
}

/** Three numbers of a long row of places. */
export function placeAt(places: ArrayLike<number>, n: number): [number, number, number] {
  return [at(places, 3 * n), at(places, 3 * n + 1), at(places, 3 * n + 2)];
}
