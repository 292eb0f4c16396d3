import { copy, path, settings, snippet, text, warn, words, yours } from './blocks.js'
import type { OidcTutorial } from './tutorial.js'

const optionalClaims = `"optionalClaims": {
  "idToken": [
    { "name": "email" },
    { "name": "given_name" },
    { "name": "family_name" },
    { "name": "xms_edov" },
    { "name": "auth_time" }
  ]
}`

export const entraIdOidc: OidcTutorial = {
  id: 'entra_id',
  name: 'Microsoft Entra ID',
  mark: 'ME',
  minutes: 15,
  checkedOn: '2026-11-22',
  steps: [
    {
      id: 'create',
      title: words('Register the application', 'Inscrire l’application'),
      blocks: [
        text(
          'Sign in to the Microsoft Entra admin center as a Cloud Application Administrator or higher, and go to:',
          'Connectez-vous au centre d’administration Microsoft Entra en tant qu’administrateur d’application cloud ou plus, puis allez à\u00a0:',
        ),
        path('Entra ID', 'App registrations', 'New registration'),
        text(
          'Give it a name that your users know, and under **Supported account types** choose **Single tenant only** (also called **Accounts in this organizational directory only**). Under **Redirect URI** choose the platform **Web**, and enter:',
          'Donnez-lui un nom que vos utilisateurs connaissent, et sous **Supported account types**, choisissez **Single tenant only** (appelé aussi **Accounts in this organizational directory only**). Sous **Redirect URI**, choisissez la plateforme **Web** et saisissez\u00a0:',
        ),
        copy('Redirect URI', 'redirect_uri'),
        text('Click **Register**.', 'Cliquez sur **Register**.'),
        warn(
          'An application for accounts in any directory does not work here: anyone with a directory of their own could claim to be one of your users.',
          'Une application ouverte aux comptes de n’importe quel annuaire ne fonctionne pas ici\u00a0: quiconque possède un annuaire pourrait se faire passer pour l’un de vos utilisateurs.',
        ),
      ],
    },
    {
      id: 'claims',
      title: words('Send the e-mail address', 'Envoyer l’adresse e-mail'),
      blocks: [
        path('Entra ID', 'App registrations', yours.app, 'Manage', 'Manifest'),
        text(
          'Replace **optionalClaims** with this, or add it if it is not there, and click **Save**:',
          'Remplacez **optionalClaims** par ceci, ou ajoutez-le s’il n’existe pas, puis **Save**\u00a0:',
        ),
        snippet('optionalClaims', optionalClaims),
        text(
          '**auth_time** is the time of the sign-in. Without it, nobody can sign in to applications that require a fresh sign-in.',
          '**auth_time** est l’heure de la connexion. Sans lui, personne ne peut se connecter aux applications qui exigent une nouvelle authentification.',
        ),
        warn(
          '**xms_edov** states that your organization has verified the domain of the address. Without it, we do not link users to accounts that already exist, because an unverified directory can contain any address. Microsoft only sends it together with **email**.',
          '**xms_edov** indique que votre organisation a vérifié le domaine de l’adresse. Sans lui, nous ne rattachons aucun utilisateur à un compte existant, car un annuaire non vérifié peut contenir n’importe quelle adresse. Microsoft ne l’envoie qu’avec **email**.',
        ),
      ],
    },
    {
      id: 'consent',
      title: words('Grant admin consent', 'Accorder le consentement administrateur'),
      blocks: [
        path(yours.app, 'API permissions', 'Add a permission', 'Microsoft Graph', 'Delegated permissions'),
        text(
          'Add these three permissions. They only tell us who signs in:',
          'Ajoutez ces trois autorisations, qui indiquent seulement qui se connecte\u00a0:',
        ),
        copy('OpenId permissions', 'scopes'),
        text(
          'Then click **Grant admin consent**, so that users are not asked for consent when they sign in.',
          'Puis cliquez sur **Grant admin consent**, afin que le consentement ne soit pas demandé aux utilisateurs à la connexion.',
        ),
      ],
    },
    {
      id: 'assign',
      title: words('Assign your users', 'Affecter vos utilisateurs'),
      blocks: [
        path('Entra ID', 'Enterprise apps', yours.app, 'Properties'),
        settings(['Assignment required?', 'Yes']),
        text(
          'Then add the users or groups who can sign in under **Users and groups**, including yourself, because you will test the sign-in in a moment.',
          'Ajoutez ensuite sous **Users and groups** les utilisateurs ou groupes qui peuvent se connecter, vous compris\u00a0: vous allez bientôt tester la connexion.',
        ),
        warn(
          'Users who are not assigned see the error AADSTS50105 at Microsoft and never reach us.',
          'Un utilisateur non affecté voit l’erreur AADSTS50105 chez Microsoft et n’arrive jamais jusqu’à nous.',
        ),
      ],
    },
    {
      id: 'secret',
      title: words('Create a client secret', 'Créer un secret client'),
      blocks: [
        path(yours.app, 'Certificates & secrets', 'Client secrets', 'New client secret'),
        text(
          'Choose when it expires, in 24 months at most, and click **Add**. Copy **Value** immediately: it will not be shown again. Do not use **Secret ID**.',
          'Choisissez sa durée de validité, 24 mois au plus, puis **Add**. Copiez **Value** tout de suite\u00a0: elle ne sera plus affichée. N’utilisez pas **Secret ID**.',
        ),
        text(
          'From **Overview**, copy **Application (client) ID** and **Directory (tenant) ID**. You enter all three values on the next page.',
          'Dans **Overview**, copiez **Application (client) ID** et **Directory (tenant) ID**. Vous saisirez les trois à la page suivante.',
        ),
        warn(
          'Put the expiry date of the secret into your calendar: after that day, nobody can sign in until you enter a new one here.',
          'Notez la date d’expiration du secret dans votre agenda\u00a0: après cette date, plus personne ne peut se connecter tant que vous n’en avez pas saisi un nouveau ici.',
        ),
      ],
    },
  ],
  client: {
    issuerExample: 'https://login.microsoftonline.com/<Directory (tenant) ID>/v2.0',
    issuer: words(
      'Insert the **Directory (tenant) ID** from the page **Overview**.',
      'Insérez-y le **Directory (tenant) ID** de la page **Overview**.',
    ),
    clientId: words(
      '**Application (client) ID** from the page **Overview**.',
      '**Application (client) ID** de la page **Overview**.',
    ),
    clientSecret: words('**Value** of the client secret.', '**Value** du secret client.'),
  },
  claims: { email: ['email'], given_name: ['given_name'], family_name: ['family_name'], subject: 'sub' },
  quirks: [
    words(
      'You cannot set up directory sync in an app registration. Create a second, non-gallery enterprise application for it.',
      'La synchronisation d’annuaire ne se configure pas sur une inscription d’application. Créez pour elle une seconde application d’entreprise, hors galerie.',
    ),
    words(
      'Keep this app registration, and renew its secret in time. Entra sends a different **sub** for each application: with a new registration, your users are not recognized and cannot sign in.',
      'Gardez cette inscription d’application et renouvelez son secret à temps\u00a0: Entra envoie un **sub** différent pour chaque application\u00a0; avec une nouvelle inscription, vos utilisateurs ne sont pas reconnus et ne peuvent pas se connecter.',
    ),
  ],
}
