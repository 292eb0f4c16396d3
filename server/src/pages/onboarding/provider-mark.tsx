/** A letter mark for a product, because the logos are their owners'. */
export function ProviderMark({ mark }: { mark: string }) {
  return (
    <span class="mark" aria-hidden="true">
      {mark}
    </span>
  )
}

/** The product of a page, with a note behind its name. */
export function ProductLine({
  product: { name, mark },
  note,
}: {
  product: { readonly name: string; readonly mark: string }
  note?: string
}) {
  return (
    <p class="tutorial-place">
      <ProviderMark mark={mark} />
      <span>
        {name}
        {note !== undefined && <span class="quiet">{` · ${note}`}</span>}
      </span>
    </p>
  )
}
