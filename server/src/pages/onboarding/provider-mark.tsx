/** Stands for a product beside its name; the logos are their owners'. */
export function ProviderMark({ mark }: { mark: string }) {
  return (
    <span class="mark" aria-hidden="true">
      {mark}
    </span>
  )
}
