import { maxMetadataBytes } from '../../sso/onboarding/upload.js'
import type { Tutorial } from '../../sso/tutorials/tutorial.js'
import type { PageTexts } from '../texts/en.js'
import type { UploadFault } from '../texts/en/sso-setup.js'
import { MetadataSummary, type MetadataView } from './metadata-summary.js'
import { toDocument } from '../frame/layout.js'
import { OnboardingPage, type OnboardingView } from './onboarding-frame.js'
import { StoredSetup } from './stored-setup.js'
import { Said } from './tutorial-blocks.js'

/** The page for uploading the metadata of the identity provider. */
interface UploadPage extends OnboardingView {
  readonly tutorial: Tutorial
  /** The version that was uploaded before. */
  readonly stored: (MetadataView & { readonly isCurrent: boolean }) | undefined
  readonly wrong?: WrongUpload | undefined
  /** The pasted text, shown again for correction. */
  readonly pasted?: string | undefined
}

/** Why an upload was refused, and in which field. */
export interface WrongUpload {
  readonly at: 'file' | 'xml'
  readonly fault: UploadFault
}

/** Accepts a file or pasted text. */
export function uploadPage(view: UploadPage): string {
  const { frame, tutorial, stored, wrong } = view
  const { texts } = frame
  const words = texts.upload
  return toDocument(
    <OnboardingPage view={view} title={words.heading} isFault={wrong !== undefined}>
      <p>{words.sentence}</p>
      {stored !== undefined && (
        <StoredSetup view={view} words={words} isCurrent={stored.isCurrent}>
          <MetadataSummary metadata={stored} texts={texts} />
        </StoredSetup>
      )}
      <p class="quiet">
        {words.where} <Said words={tutorial.metadata.how} texts={texts} />
      </p>
      <UploadForm view={view} />
    </OnboardingPage>,
  )
}

function UploadForm({ view: { frame, form, tutorial, wrong, pasted } }: { view: UploadPage }) {
  const { texts } = frame
  const words = texts.upload
  return (
    <form
      method="post"
      action={form.action}
      enctype="multipart/form-data"
      class="form-main upload"
      novalidate
      data-once=""
    >
      <input type="hidden" name="csrf" value={form.csrf} />
      <div class="field">
        <label for="file">{words.file}</label>
        <div class="hint" id="file-hint">
          {words.fileHint(tutorial.metadata.fileHint)}
        </div>
        <div class="entry">
          <input
            type="file"
            id="file"
            name="file"
            accept=".xml,application/xml,text/xml,application/samlmetadata+xml"
            aria-invalid={wrong?.at === 'file' ? 'true' : undefined}
            aria-describedby={wrong?.at === 'file' ? 'file-fault file-hint' : 'file-hint'}
            autofocus={wrong?.at === 'file'}
          />
        </div>
        {wrong?.at === 'file' && <Fault wrong={wrong} texts={texts} />}
      </div>
      <p class="or">{words.or}</p>
      <div class="field">
        <label for="xml">{words.paste}</label>
        <div class="entry">
          <textarea
            id="xml"
            name="xml"
            rows={5}
            spellcheck={false}
            autocomplete="off"
            data-max-bytes={maxMetadataBytes}
            data-too-large={words.faults.too_large}
            aria-invalid={wrong?.at === 'xml' ? 'true' : undefined}
            aria-describedby={wrong?.at === 'xml' ? 'xml-fault' : undefined}
            autofocus={wrong?.at === 'xml'}
          >
            {pasted}
          </textarea>
        </div>
        {wrong?.at === 'xml' && <Fault wrong={wrong} texts={texts} />}
      </div>
      <button type="submit" name="action" value="upload" class="main" data-working={texts.working}>
        {words.button}
      </button>
    </form>
  )
}

function Fault({ wrong: { at, fault }, texts }: { wrong: WrongUpload; texts: PageTexts }) {
  return (
    <p class="fault" id={`${at}-fault`} role="alert">
      {texts.upload.faults[fault]}
    </p>
  )
}
