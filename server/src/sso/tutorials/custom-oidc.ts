import { copy, settings, text, warn, words } from './blocks.js'
import type { OidcTutorial } from './tutorial.js'

export const customOidc: OidcTutorial = {
  id: 'custom_oidc',
  name: 'OpenID Connect',
  mark: 'ID',
  minutes: 10,
  checkedOn: null,
  steps: [
    {
      id: 'client',
      title: words('Register us as a client', 'Nous enregistrer comme client'),
      blocks: [
        text(
          'In your provider, create a client for a web application with a server, often called **confidential client**. Enter exactly this address as the redirect URI:',
          'Chez votre fournisseur, créez un client pour une application web avec un serveur, souvent appelé **confidential client**. Saisissez exactement cette adresse comme URI de redirection\u00a0:',
        ),
        copy('Redirect URI', 'redirect_uri'),
        settings(
          ['Flow, response type', 'Authorization code'],
          ['PKCE', 'S256'],
          ['Client authentication', 'client_secret_basic / client_secret_post'],
          ['ID token signature', 'RS256 / ES256'],
        ),
      ],
    },
    {
      id: 'scopes',
      title: words('Allow the scopes', 'Autoriser les portées'),
      blocks: [
        text(
          'Allow the client to request these scopes:',
          'Autorisez le client à demander ces portées\u00a0:',
        ),
        copy('Scopes', 'scopes'),
        text(
          'The ID token or the UserInfo endpoint must contain **email**, and **email_verified** with the value true: without it, we do not link users to accounts that already exist. We also use **given_name** and **family_name** if they are sent.',
          'Le jeton d’identité ou le point d’accès UserInfo doit contenir **email**, et **email_verified** à true\u00a0: sans cela, nous ne rattachons aucun utilisateur à un compte existant. **given_name** et **family_name** sont également utilisés s’ils sont envoyés.',
        ),
        warn(
          '**sub** must never change for a user, and must never be given to another user: we recognize users by it.',
          '**sub** ne doit jamais changer pour un utilisateur, ni être attribué à un autre\u00a0: c’est par lui que nous reconnaissons un utilisateur.',
        ),
      ],
    },
    {
      id: 'values',
      title: words('Copy the three values', 'Copier les trois valeurs'),
      blocks: [
        text(
          'Copy the client ID and the client secret. You enter them on the next page, together with the issuer. The issuer is the address of your provider’s discovery document without **/.well-known/openid-configuration**.',
          'Copiez l’identifiant et le secret du client. Vous les saisirez à la page suivante, avec l’émetteur. L’émetteur est l’adresse du document de découverte de votre fournisseur, sans **/.well-known/openid-configuration**.',
        ),
        warn(
          'We must be able to reach this address from the public internet, over https.',
          'Nous devons pouvoir joindre cette adresse depuis l’internet public, en https.',
        ),
      ],
    },
  ],
  client: {
    issuerExample: 'https://id.example.com',
    issuer: words(
      'The value of **issuer** in the discovery document, exactly as it is there.',
      'La valeur de **issuer** dans le document de découverte, à l’identique.',
    ),
    clientId: words(
      'The ID that your provider gave to the client.',
      'L’identifiant que votre fournisseur a donné au client.',
    ),
    clientSecret: words(
      'Shown when the client was created, often only once.',
      'Affiché à la création du client, souvent une seule fois.',
    ),
  },
  claims: { email: ['email'], given_name: ['given_name'], family_name: ['family_name'], subject: 'sub' },
  quirks: [
    words(
      'The issuer of some providers ends with a slash. The slash is part of it: enter the issuer exactly as it is in the discovery document.',
      'L’émetteur de certains fournisseurs se termine par une barre oblique. Elle en fait partie\u00a0: saisissez l’émetteur exactement comme dans le document de découverte.',
    ),
    words(
      'We refuse ID tokens that are signed with the client secret (HS256): anyone who has the secret could create one.',
      'Nous refusons les jetons d’identité signés avec le secret du client (HS256)\u00a0: quiconque connaît ce secret pourrait en fabriquer.',
    ),
  ],
}
