'use client'

import { useState } from 'react'

/** What the back end has answered. */
interface Answer {
  readonly error?: { readonly code: string; readonly sign_in_url?: string }
}

/** A tab that was left open in another organization is told so, and adds nothing to the wrong one. */
export function AddInvoice({ path }: { readonly path: string }) {
  const [answer, setAnswer] = useState<Answer>()
  async function add() {
    const response = await fetch(path, { method: 'POST' })
    setAnswer((await response.json()) as Answer)
  }
  return (
    <>
      <p>
        <button id="add" onClick={() => void add()}>
          Add an invoice
        </button>
      </p>
      <p id="answer" role="status">
        {answer && (answer.error ? `Nothing was added: ${answer.error.code}. ` : 'An invoice was added.')}
        {answer?.error?.sign_in_url && <a href={answer.error.sign_in_url}>Go on</a>}
      </p>
    </>
  )
}
