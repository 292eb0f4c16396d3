import { copy, path, settings, text, warn, words } from '../blocks.js'
import type { DirectoryTutorial } from '../tutorial.js'

export const pingOneDirectory: DirectoryTutorial = {
  id: 'ping_one',
  name: 'PingOne',
  mark: 'P1',
  minutes: 15,
  checkedOn: '2026-11-22',
  steps: [
    {
      id: 'connection',
      title: words('Create the connection', 'Créer la connexion'),
      blocks: [
        path('Integrations', 'Provisioning', '+', 'New Connection', 'Identity Store', 'SCIM Outbound'),
        text(
          'Give it a name that you will recognize, and click **Next**.',
          'Donnez-lui un nom que vous reconnaîtrez, puis **Next**.',
        ),
      ],
    },
    {
      id: 'connect',
      title: words('Connect PingOne to us', 'Relier PingOne à nous'),
      blocks: [
        copy('SCIM BASE URL', 'scim_base_url'),
        settings(
          ['Users Resource', '/Users'],
          ['Groups Resource', '/Groups'],
          ['SCIM Version', '2.0'],
          ['Authentication Method', 'OAuth 2 Bearer Token'],
          ['Auth Type Header', 'Bearer'],
        ),
        text(
          'Enter the secret from this page as **OAuth Access Token**, click **Test Connection**, then **Next**.',
          'Saisissez le secret de cette page comme **OAuth Access Token**, cliquez sur **Test Connection**, puis **Next**.',
        ),
      ],
    },
    {
      id: 'preferences',
      title: words('Choose what PingOne does', 'Choisir ce que fait PingOne'),
      blocks: [
        settings(
          ['User Filter Expression', 'userName Eq "%s"'],
          ['User Identifier', 'userName'],
          ['Allow Users to be Deprovisioned', '✓'],
          ['Remove Action', 'Disable'],
        ),
        text(
          'Click **Save**, and turn on the connection with its switch.',
          'Cliquez sur **Save**, et activez la connexion avec son interrupteur.',
        ),
      ],
    },
    {
      id: 'rule',
      title: words('Choose the users to send', 'Choisir les utilisateurs à envoyer'),
      blocks: [
        path('Integrations', 'Provisioning', 'Rules', '+', 'New Rule', 'Create Rule'),
        text(
          'Under **Configuration**, choose the connection as the **Target**, and set a **User Filter** for the users who should be here. Check under **Attribute Mapping** that the e-mail address is sent. Add groups under **Group Provisioning**.',
          'Sous **Configuration**, choisissez la connexion comme **Target** et définissez un **User Filter** pour les utilisateurs qui doivent être présents ici. Vérifiez sous **Attribute Mapping** que l’adresse e-mail est envoyée. Ajoutez les groupes sous **Group Provisioning**.',
        ),
        warn(
          'Nothing is sent until both the connection and the rule are turned on.',
          'Rien n’est envoyé tant que la connexion et la règle ne sont pas toutes deux activées.',
        ),
      ],
    },
  ],
  quirks: [],
}
