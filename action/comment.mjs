// One comment of a pull request, written anew with each push.

/** Finds the comment again. */
const mark = '<!-- renderline -->';
const mostCharacters = 60_000;

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
    const all = await call('GET', `${root}/${pull}/comments?per_page=100`);
    const own = all.find(({ body = '' }) => body.startsWith(mark));
    if (own) await call('PATCH', `${root}/comments/${own.id}`, content);
    else await call('POST', `${root}/${pull}/comments`, content);
  } catch (error) {
    console.log(`::warning title=Renderline::The comment was not written: ${error.message}`);
  }
}
