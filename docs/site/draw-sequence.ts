import { html, type Html } from './html.js'
import type { Sequence, Step } from './sequence.js'

// In px. A letter's width is that of the style sheet's 13 px, rounded up, because nothing here can measure text.
const letter = 7.1
const lineHeight = 17
const columnWidth = { least: 150, most: 240 }
/** Of the text that it stands in, so that up to four participants need no scrolling. */
const room = 660
const headHeight = 36
const gap = 16
const margin = 8

/** A sequence as an SVG whose colors are the style sheet's, and as a list of its steps for who cannot see it. */
export function drawSequence(sequence: Sequence): Html {
  const { title, description, participants, steps } = sequence
  const width = columnWidthOf(sequence)
  const xOf = (id: string) => margin + width * (participants.findIndex((each) => each.id === id) + 0.5)
  let y = margin + headHeight + gap
  const drawn = steps.map((step) => {
    const lines = wrapped(step.text, spanOf(step, width, xOf) / letter)
    const top = y
    y += lines.length * lineHeight + (step.kind === 'note' ? gap * 1.75 : gap)
    return step.kind === 'note' ? note(step, top, lines, width, xOf) : message(step, top, lines, xOf)
  })
  const size = { width: Math.ceil(width * participants.length + 2 * margin), height: Math.ceil(y + margin) }
  return html`<figure class="flow">
    <div class="canvas" tabindex="0" role="group" aria-label="${title}, as a diagram">
      <svg
        viewBox="0 0 ${size.width} ${size.height}"
        width="${size.width}"
        height="${size.height}"
        role="img"
        aria-label="${title}. ${description}"
      >
        ${participants.map(({ id }) => html`<path class="life" d="M${xOf(id)} ${margin + headHeight}V${y}" />`)}
        ${participants.map(({ id, name }) => head(name, xOf(id), width))}${drawn}
      </svg>
    </div>
    <figcaption>
      ${title}
      <details>
        <summary>The steps as text</summary>
        <p>${description}</p>
        <ol>
          ${steps.map((step) => html`<li>${sentence(sequence, step)}</li>`)}
        </ol>
      </details>
    </figcaption>
  </figure>`
}

/** As wide as the longest message between neighbors asks for, within bounds. */
function columnWidthOf({ participants, steps }: Sequence): number {
  const names = participants.map(({ name }) => name.length * letter + 2 * gap)
  const texts = steps.map(({ text }) => (text.length * letter) / 2 + gap)
  const most = Math.min(columnWidth.most, Math.floor(room / participants.length))
  return Math.max(columnWidth.least, Math.min(Math.max(...names, ...texts), most))
}

/** The room that the text of a step has. */
function spanOf(step: Step, width: number, xOf: (id: string) => number): number {
  if (step.kind === 'note') {
    const [first = '', last = first] = step.over
    return Math.abs(xOf(last) - xOf(first)) + width - 2 * gap
  }
  return Math.max(Math.abs(xOf(step.to) - xOf(step.from)), width) - gap
}

function head(name: string, x: number, width: number): Html {
  return html`<rect
      class="head"
      x="${x - width / 2 + 8}"
      y="${margin}"
      width="${width - 16}"
      height="${headHeight}"
      rx="6"
    />${texts([name], x, margin + 23, 'name')}`
}

type Message = Extract<Step, { kind: 'message' }>
type Note = Extract<Step, { kind: 'note' }>

function message(
  { from, to, isAnswer }: Message,
  top: number,
  lines: readonly string[],
  xOf: (id: string) => number,
): Html {
  const [start, end] = [xOf(from), xOf(to)]
  const y = top + lines.length * lineHeight
  const kind = isAnswer ? 'answer' : 'call'
  if (start === end)
    return html`${texts(lines, start + 26, top + 12, 'own')}
      <path class="${kind}" d="M${start} ${top + 2}h18v${y - top}h-12" />
      <path class="tip" d="M${start + 1} ${y + 2}l9 -5v10z" />`
  const direction = end > start ? 1 : -1
  return html`${texts(lines, (start + end) / 2, top + 12, 'text')}
    <path class="${kind}" d="M${start} ${y + 2}H${end - direction * 8}" />
    <path class="tip" d="M${end} ${y + 2}l${-direction * 9} -5v10z" />`
}

function note(
  { over }: Note,
  top: number,
  lines: readonly string[],
  width: number,
  xOf: (id: string) => number,
): Html {
  const [first = '', last = first] = over
  const left = Math.min(xOf(first), xOf(last)) - width / 2 + 8
  const right = Math.max(xOf(first), xOf(last)) + width / 2 - 8
  return html`<rect
      class="note"
      x="${left}"
      y="${top}"
      width="${right - left}"
      height="${lines.length * lineHeight + 12}"
      rx="4"
    />${texts(lines, (left + right) / 2, top + 18, 'text')}`
}

function texts(lines: readonly string[], x: number, y: number, kind: string): Html {
  return html`<text class="${kind}" x="${x}" y="${y}"
    >${lines.map((line, index) => html`<tspan x="${x}" y="${y + index * lineHeight}">${line}</tspan>`)}</text
  >`
}

function wrapped(text: string, letters: number): string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && last.length + 1 + word.length <= letters)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

function sentence({ participants }: Sequence, step: Step): string {
  const nameOf = (id: string) => participants.find((each) => each.id === id)?.name ?? id
  if (step.kind === 'note') return `${step.over.map(nameOf).join(' and ')}: ${step.text}`
  return step.from === step.to
    ? `${nameOf(step.from)}: ${step.text}`
    : `${nameOf(step.from)} to ${nameOf(step.to)}: ${step.text}`
}
