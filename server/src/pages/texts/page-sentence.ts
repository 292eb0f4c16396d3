export interface PageSentence {
  readonly heading: string
  readonly sentence: string
  readonly advice: string
}
