import type { Route } from '@portico/contract/walk'
import type { Link } from './visit.js'

/** A link to what can be made or done. */
export interface Button extends Link {
  /** What most come for, or what takes something away; any other where it is undefined. */
  readonly look?: 'main' | 'danger' | undefined
}

/** Whether an operation takes something away, which its button says by colour, too. */
export function isRemoval({ method }: Route): boolean {
  return method === 'DELETE'
}

/** Links to the parts of a record. */
export function Tabs({ links, label }: { readonly links: readonly Link[]; readonly label: string }) {
  if (links.length === 0) return null
  return (
    <nav class="tabs" aria-label={label}>
      <ul>
        {links.map((link) => (
          <li key={link.url}>
            <a href={link.url}>{link.label}</a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Links to what can be done with a list, a record or a row. */
export function Buttons({ links, label }: { readonly links: readonly Button[]; readonly label: string }) {
  if (links.length === 0) return null
  return (
    <div class="buttons" role="group" aria-label={label}>
      {links.map(({ look, label: text, url }) => (
        <a key={url} class={look === undefined ? 'button' : `button ${look}`} href={url}>
          {text}
        </a>
      ))}
    </div>
  )
}
