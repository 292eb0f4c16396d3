/** The clock of the machine. */
export function systemClock(): Date {
  return new Date()
}
