// Loaded before the program (`node --require`): the clock of this process is apart from that of all others by so many ms, as
// the environment says at each reading.
const aheadMs = () => Number(process.env.TEST_CLOCK_AHEAD_MS ?? 0);
const Right = Date;

class ShiftedDate extends Right {
  constructor(...given) {
    if (given.length === 0) super(Right.now() + aheadMs());
    else super(...given);
  }

  static now() {
    return Right.now() + aheadMs();
  }
}

globalThis.Date = ShiftedDate;
module.exports = ShiftedDate;
