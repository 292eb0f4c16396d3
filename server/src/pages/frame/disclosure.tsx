import type { ComponentChildren } from 'preact'

interface DisclosureProps {
  /** What opens it. */
  readonly summary: string
  /** Which one of several it is about, for readers of a screen who hear the summary alone. */
  readonly of?: string
  readonly children: ComponentChildren
}

/** Keeps a form that is seldom wanted, or ends something, behind a press of its own, without a script. */
export function Disclosure({ summary, of, children }: DisclosureProps) {
  return (
    <details>
      <summary>
        <WithName words={summary} of={of} />
      </summary>
      {children}
    </details>
  )
}

/** The words of a button, with what it is about, for readers of a screen. */
export function WithName({ words, of }: { readonly words: string; readonly of?: string | undefined }) {
  return (
    <>
      {words}
      {of !== undefined && <span class="unseen">{` (${of})`}</span>}
    </>
  )
}
