import type { Block, TutorialFile, TutorialValue, Words } from '../../sso/tutorials/tutorial.js'
import type { PageTexts } from '../texts/en.js'
import { addressOf } from './onboarding-frame.js'

/** The values to copy, of one connection or one directory. */
export type ConnectionValues = Readonly<Partial<Record<TutorialValue, string>>>

interface BlocksProps {
  readonly blocks: readonly Block[]
  readonly texts: PageTexts
  readonly values: ConnectionValues
  readonly base: string
  /** The prefix of its element ids, for pages with several steps. */
  readonly prefix?: string
}

/** The content blocks of a tutorial step. */
export function Blocks({ blocks, prefix = 'value', ...props }: BlocksProps) {
  return (
    <div class="blocks">
      {blocks.map((block, index) => (
        <BlockOf key={index} block={block} id={`${prefix}-${index}`} {...props} />
      ))}
    </div>
  )
}

function BlockOf({
  block,
  id,
  texts,
  values,
  base,
}: Omit<BlocksProps, 'blocks' | 'prefix'> & { block: Block; id: string }) {
  switch (block.t) {
    case 'text':
      return (
        <p>
          <Said words={block.words} texts={texts} />
        </p>
      )
    case 'warn':
      return (
        <p class="notice warn">
          <span class="unseen">{texts.tutorial.note} </span>
          <Said words={block.words} texts={texts} />
        </p>
      )
    case 'path':
      return <Crumbs crumbs={block.crumbs} texts={texts} />
    case 'copy':
      return (
        <CopyField id={id} label={block.field} value={valueOf(values, block.value)} texts={texts} isConsole />
      )
    case 'snippet':
      return (
        <CopyField
          id={id}
          label={block.field}
          value={fillIn(block.template, values)}
          texts={texts}
          isConsole
        />
      )
    case 'download':
      return <Download file={block.file} texts={texts} base={base} />
    case 'table':
      return <Rows block={block} texts={texts} />
  }
}

/** A text of a tutorial in the language of the page; labels of the console are marked as English. */
export function Said({ words, texts }: { words: Words; texts: PageTexts }) {
  const text = inLanguage(words, texts)
  return (
    <>
      {text.split('**').map((part, index) =>
        index % 2 === 0 ? (
          part
        ) : (
          <strong key={index} lang="en">
            {part}
          </strong>
        ),
      )}
    </>
  )
}

/** A text of a tutorial in the language of the page. */
export function inLanguage(words: Words, { lang }: Pick<PageTexts, 'lang'>): string {
  return lang === 'fr' ? words.fr : words.en
}

/** The menu path in a console. */
function Crumbs({ crumbs, texts }: { crumbs: readonly (string | Words)[]; texts: PageTexts }) {
  return (
    <ol class="crumbs" aria-label={texts.tutorial.path}>
      {crumbs.map((crumb, index) => (
        <li key={index}>
          {typeof crumb === 'string' ? <span lang="en">{crumb}</span> : <em>{inLanguage(crumb, texts)}</em>}
        </li>
      ))}
    </ol>
  )
}

interface CopyFieldProps {
  readonly id: string
  readonly label: string
  readonly value: string
  readonly texts: PageTexts
  /** The label is the console's own, in English. */
  readonly isConsole?: boolean
}

/** A value that one click selects, and that a button copies where scripts run. */
export function CopyField({ id, label, value, texts, isConsole = false }: CopyFieldProps) {
  const words = texts.tutorial
  return (
    <div class="copy-field">
      <p class="copy-label" id={`${id}-label`} lang={isConsole ? 'en' : undefined}>
        {label}
      </p>
      <div class="copy-row">
        <p class="copy-value" id={id}>
          <code lang="en">{value}</code>
        </p>
        <button type="button" class="small" data-copy={id} data-other={words.copied} hidden>
          <span>{words.copy}</span>
          <span class="unseen" lang={isConsole ? 'en' : undefined}>
            {` ${label}`}
          </span>
        </button>
      </div>
    </div>
  )
}

/** The download of a file that a console imports. */
export function Download({ file, texts, base }: { file: TutorialFile; texts: PageTexts; base: string }) {
  const words = texts.tutorial
  const isMetadata = file === 'sp_metadata'
  return (
    <p class="download">
      <a
        class="small"
        href={addressOf(base, isMetadata ? 'sp-metadata.xml' : 'sp-certificate.pem', texts)}
        download
      >
        {isMetadata ? words.spMetadata : words.spCertificate}
      </a>
      <span class="quiet">{isMetadata ? words.spMetadataHint : words.spCertificateHint}</span>
    </p>
  )
}

function Rows({ block, texts }: { block: Extract<Block, { t: 'table' }>; texts: PageTexts }) {
  const words = texts.tutorial
  const [name, value] =
    block.of === 'settings' ? [words.setting, words.choose] : [words.attribute, words.filledFrom]
  return (
    <table class="values">
      <thead>
        <tr>
          <th scope="col">{name}</th>
          <th scope="col">{value}</th>
        </tr>
      </thead>
      <tbody lang="en">
        {block.rows.map(([left, right]) => (
          <tr key={left}>
            <th scope="row">{left}</th>
            <td>{right}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function valueOf(values: ConnectionValues, name: TutorialValue): string {
  const value = values[name]
  if (value === undefined) throw new Error(`a tutorial uses ${name}, which has no value`)
  return value
}

function fillIn(template: string, values: ConnectionValues): string {
  // Unknown names stay unreplaced; a test of the tutorials refuses them.
  return template.replace(/\{([a-z_]+)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? valueOf(values, name as TutorialValue) : whole,
  )
}
