import type { OutboxMessage } from '@portico/contract/outbox'
import type { ComponentChildren } from 'preact'
import { renderToString } from 'preact-render-to-string'

interface Frame {
  readonly productName: string
  readonly title: string
  readonly children: ComponentChildren
}

interface OutboxList {
  readonly productName: string
  readonly messages: readonly OutboxMessage[]
  /** From 1. */
  readonly page: number
  readonly isLast: boolean
}

/** The list of kept messages as a page. */
export function outboxListPage({ productName, messages, page, isLast }: OutboxList): string {
  return documentOf(
    <Document productName={productName} title="Outbox">
      <header class="head">
        <h1>Outbox</h1>
        <a class="action" href="/outbox">
          Refresh
        </a>
      </header>
      <p class="lead">
        Mail is kept here and not sent, because SMTP_URL is not set. Only this machine can open this page.
      </p>
      {messages.length === 0 ? <Empty isFirst={page === 1} /> : <MessageList messages={messages} />}
      {(page > 1 || !isLast) && (
        <nav class="pages" aria-label="Pages">
          {page > 1 && (
            <a class="action" href={`/outbox?page=${page - 1}`} rel="prev">
              Newer
            </a>
          )}
          {!isLast && (
            <a class="action older" href={`/outbox?page=${page + 1}`} rel="next">
              Older
            </a>
          )}
        </nav>
      )}
    </Document>,
  )
}

/** One kept message as a page: its text, and its HTML in a frame of its own. */
export function outboxMessagePage(productName: string, message: OutboxMessage): string {
  const title = message.subject ?? `Message to ${message.to}`
  return documentOf(
    <Document productName={productName} title={title}>
      <p class="back">
        <a href="/outbox">← Outbox</a>
      </p>
      <header class="head">
        <h1>{title}</h1>
      </header>
      <dl class="facts">
        <Fact name="To">{message.to}</Fact>
        <Fact name="Kept at">
          <Time at={message.inserted_at} />
        </Fact>
        <Fact name="For">
          {message.__domain__} <Badge environment={message.__environment__} />
        </Fact>
        <Fact name="Message">
          <code>{message.id}</code>
        </Fact>
      </dl>
      <section aria-labelledby="text">
        <h2 id="text">Text</h2>
        <pre class="text">{withLinks(message.text)}</pre>
      </section>
      {message.html !== null && (
        <section aria-labelledby="html">
          <h2 id="html">HTML</h2>
          <iframe
            class="html"
            title="The message as HTML"
            src={`/outbox/${message.id}/html`}
            sandbox="allow-popups allow-popups-to-escape-sandbox"
          />
        </section>
      )}
    </Document>,
  )
}

function Document({ productName, title, children }: Frame) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>{`${title} · ${productName}`}</title>
        <link rel="stylesheet" href="/outbox/style.css" />
        <link rel="icon" href="data:," />
      </head>
      <body>
        <main>{children}</main>
      </body>
    </html>
  )
}

function MessageList({ messages }: { messages: readonly OutboxMessage[] }) {
  return (
    <ul class="messages">
      {messages.map((message) => (
        <li key={message.id}>
          <a class="message" href={`/outbox/${message.id}`}>
            <span class="subject">{message.subject ?? firstLineOf(message.text)}</span>
            <span class="recipient">{message.to}</span>
            <span class="origin">
              {message.channel === 'sms' && <span class="badge">SMS</span>}
              <Badge environment={message.__environment__} />
              <span class="domain">{message.__domain__}</span>
            </span>
            <Time at={message.inserted_at} />
          </a>
        </li>
      ))}
    </ul>
  )
}

function Empty({ isFirst }: { isFirst: boolean }) {
  return (
    <div class="empty">
      <p class="empty-title">{isFirst ? 'Nothing here yet' : 'Nothing older'}</p>
      {isFirst && (
        <p>
          Ask for a magic link, with <code>POST /api/v2/magic-link-challenge</code> or on a sign-in page, then
          refresh.
        </p>
      )}
    </div>
  )
}

function Badge({ environment }: { environment: string }) {
  return <span class={`badge ${environment}`}>{environment}</span>
}

function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Time({ at }: { at: string }) {
  return (
    <time class="time" dateTime={at}>
      {`${at.slice(0, 10)} ${at.slice(11, 19)} UTC`}
    </time>
  )
}

/** A text with links, each ending before a space, quote or bracket. */
function withLinks(text: string): ComponentChildren {
  return text.split(/(https?:\/\/[^\s<>"]+)/).map((part, place) =>
    place % 2 === 0 ? (
      part
    ) : (
      <a href={part} target="_blank" rel="noopener noreferrer">
        {part}
      </a>
    ),
  )
}

function firstLineOf(text: string): string {
  return text.split('\n', 1)[0]?.slice(0, 100) ?? ''
}

function documentOf(page: Parameters<typeof renderToString>[0]): string {
  return `<!doctype html>${renderToString(page)}`
}
