// One comment of a pull request, written anew with each push.
import { command } from './text.mjs';

/** Finds the comment again. */
const mark = '<!-- renderline -->';
const mostCharacters = 60_000;
const perPage = 100;

/** Those who may write to the repository; a comment of anybody else is no place for our words, since its author can change them. */
const members = ['OWNER', 'MEMBER', 'COLLABORATOR'];

function isOurs({ body = '', user, author_association: author }) {
  return body.startsWith(mark) && (user?.type === 'Bot' || members.includes(author));
}

/** Our comment, on whatever page of them it stands. */
async function find(pageOf) {
  for (let page = 1; ; page++) {
    const some = await pageOf(page);
    const own = some.find(isOurs);
    if (own || some.length < perPage) return own;
  }
}

/** A token that may not write, as that of a fork, is no failure of the pipelines: it is said, and no more. */
export async function comment(page, pull, env) {
  const root = `${env['GITHUB_API_URL']}/repos/${env['GITHUB_REPOSITORY']}/issues`;
  const call = async (method, url, content) => {
    const response = await fetch(url, {
      method,
      headers: {
        accept: 'application/vnd.github+json',
        authorization: `Bearer ${env['INPUT_TOKEN']}`,
      },
      ...(content && { body: JSON.stringify(content) }),
    });
    if (!response.ok) throw new Error(`GitHub answered ${response.status}`);
    return response.json();
  };
  const text = `${mark}\n${page}`;
  const content = {
    body: text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text,
  };
  try {
    const own = await find((page) =>
      call('GET', `${root}/${pull}/comments?per_page=${perPage}&page=${page}`),
    );
    if (own) await call('PATCH', `${root}/comments/${own.id}`, content);
    else await call('POST', `${root}/${pull}/comments`, content);
  } catch (error) {
    command('warning', { title: 'Renderline' }, `The comment was not written: ${error.message}`);
  }
}
