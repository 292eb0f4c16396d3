/** Says at the top of a page that the form before it has succeeded. */
export function Done({ isDone, sentence }: { isDone: boolean; sentence: string }) {
  if (!isDone) return null
  return (
    <p class="notice" role="status">
      {sentence}
    </p>
  )
}
