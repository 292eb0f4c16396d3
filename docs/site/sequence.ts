/** A flow as messages between participants, in their order. */
export interface Sequence {
  readonly title: string
  readonly description: string
  readonly participants: readonly Participant[]
  readonly steps: readonly Step[]
}

export interface Participant {
  readonly id: string
  readonly name: string
}

/** A message, or a note that stands over participants. */
export type Step =
  | {
      readonly kind: 'message'
      readonly from: string
      readonly to: string
      readonly isAnswer: boolean
      readonly text: string
    }
  | { readonly kind: 'note'; readonly over: readonly string[]; readonly text: string }

/**
 * Reads a sequence diagram in the notation of Mermaid, which repositories' hosts draw as well: of it title, description,
 * participants, two arrows and notes.
 *
 * @throws Error with the line that it does not know, or what is missing.
 */
export function readSequence(text: string): Sequence {
  const [first, ...lines] = text.split('\n').map((line) => line.trim())
  if (first !== 'sequenceDiagram') throw new Error('a diagram begins with the line sequenceDiagram')
  let title = ''
  let description = ''
  const participants: Participant[] = []
  const steps: Step[] = []
  for (const line of lines.filter(Boolean)) {
    // Mermaid would end the line there, or read an element.
    if (/[;#<]/.test(line)) throw new Error(`no ; # < in a diagram: ${line}`)
    const [, key, value = ''] = /^(accTitle|accDescr): (.+)$/.exec(line) ?? []
    const [, id, name] = /^participant (\w+) as (.+)$/.exec(line) ?? []
    const [, from, arrow, to, message] = /^(\w+)(-->>|->>)(\w+): (.+)$/.exec(line) ?? []
    const [, over, note] = /^Note over (\w+(?:,\w+)?): (.+)$/.exec(line) ?? []
    if (key === 'accTitle') title = value
    else if (key === 'accDescr') description = value
    else if (id !== undefined && name !== undefined) participants.push({ id, name })
    else if (from !== undefined && to !== undefined && message !== undefined)
      steps.push({ kind: 'message', from, to, isAnswer: arrow === '-->>', text: message })
    else if (over !== undefined && note !== undefined)
      steps.push({ kind: 'note', over: over.split(','), text: note })
    else throw new Error(`no line of a diagram: ${line}`)
  }
  if (title === '' || description === '') throw new Error('a diagram needs accTitle and accDescr')
  const ids = participants.map(({ id }) => id)
  for (const step of steps)
    for (const id of step.kind === 'note' ? step.over : [step.from, step.to])
      if (!ids.includes(id)) throw new Error(`no participant ${id}`)
  if (steps.length === 0) throw new Error('a diagram without a message')
  return { title, description, participants, steps }
}
