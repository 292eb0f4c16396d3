/** A letter mark for a product, because the logos are their owners'. */
export function ProviderMark({ mark }: { mark: string }) {
  return (
    <span class="mark" aria-hidden="true">
      {mark}
    </span>
  )
}
