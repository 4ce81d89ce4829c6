//! Random convolutions: what a first layer of a convolutional network sees before it is trained
//! (Coates, Ng and Lee 2011; as kernels: Mairal et al. 2014).

use serde::{Deserialize, Serialize};

use crate::error::{FeatureMapError, MOST_OUTPUTS, MOST_WEIGHTS, within};
use crate::group_norm::{groups_up_to, normalise, to_unit_range};
use crate::image::ImageShape;
use crate::random::Draws;

/// Random filters over all patches of an image, thresholds of both signs, averages over a grid of
/// cells, then group normalisation.
///
/// A filter is Gaussian numbers less their mean, of norm 1: it does not see how bright a patch is.
/// Of its response r to a patch, max(r − t, 0) and max(−r − t, 0) are averaged over each cell: the
/// threshold t keeps patches that match the filter well apart from all others.
///
/// A row is divided by its largest magnitude first, so pixels may have any unit and range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomConvolutions {
    /// The images that rows are.
    pub image: ImageShape,
    /// How many filters there are; each gives two channels. Default 128.
    pub filters: u32,
    /// Side of a filter in pixels. Default 7, or the smaller side of the image.
    pub patch: u32,
    /// Cells of the grid along each side. Default 4, or as many as there are patches.
    pub cells: u32,
    /// t, relative to an image whose largest magnitude is 1. Default 0.6.
    pub threshold: f64,
    /// Groups of neighbouring channels that are normalised together. Default 32, or the largest
    /// divisor of the channels below.
    pub groups: u32,
    /// The public seed that the filters follow from.
    pub seed: u64,
}

impl RandomConvolutions {
    /// With the defaults that are stated for each field: 4096 features, or fewer of images below 10
    /// pixels a side, which have no room for so many cells.
    pub fn new(image: ImageShape, seed: u64) -> Self {
        let filters = 128;
        let side = image.height.min(image.width);
        let patch = side.min(7);
        Self {
            image,
            filters,
            patch,
            cells: 4.min(side + 1 - patch),
            threshold: 0.6,
            groups: groups_up_to(32, 2 * u64::from(filters)),
            seed,
        }
    }

    /// Two for each filter.
    fn channels(&self) -> u64 {
        2 * u64::from(self.filters)
    }

    pub(crate) fn outputs(&self) -> usize {
        let cells = u64::from(self.cells) * u64::from(self.cells);
        let outputs = self.channels().saturating_mul(cells);
        usize::try_from(outputs).unwrap_or(usize::MAX)
    }

    /// Rows and columns of patches.
    fn positions(&self) -> (usize, usize) {
        let along = |side: u32| (side + 1 - self.patch) as usize;
        (along(self.image.height), along(self.image.width))
    }

    /// Numbers in a patch of all colours.
    fn taps(&self) -> usize {
        self.image.channels as usize * (self.patch * self.patch) as usize
    }

    pub(crate) fn check(&self) -> Result<(), FeatureMapError> {
        self.image.check()?;
        let side = u64::from(self.image.height.min(self.image.width));
        within("filters", self.filters.into(), 1, MOST_OUTPUTS / 2)?;
        within("patch side", self.patch.into(), 1, side)?;
        // A filter of one number, less its mean, would be 0.
        within("numbers in a patch", self.taps() as u64, 2, MOST_OUTPUTS)?;
        within(
            "cells along a side",
            self.cells.into(),
            1,
            side + 1 - u64::from(self.patch),
        )?;
        within("outputs", self.outputs() as u64, 1, MOST_OUTPUTS)?;
        let weights = u64::from(self.filters) * self.taps() as u64;
        within("numbers in its filters", weights, 1, MOST_WEIGHTS)?;
        if !(0.0..=1e3).contains(&self.threshold) {
            return Err(FeatureMapError::Number {
                what: "threshold",
                given: self.threshold,
                allowed: "from 0 to 1000",
            });
        }
        within("groups", self.groups.into(), 1, self.channels())?;
        if !self.channels().is_multiple_of(self.groups.into()) {
            return Err(FeatureMapError::Groups {
                groups: self.groups,
                channels: self.channels(),
            });
        }
        Ok(())
    }

    /// Filter and sign, then place.
    pub(crate) fn output_name(&self, j: usize) -> String {
        let side = self.cells as usize;
        let (channel, y, x) = (j / (side * side), j / side % side, j % side);
        let sign = if channel.is_multiple_of(2) { '+' } else { '-' };
        format!("f{}{sign} y{y}x{x}", channel / 2)
    }
}

/// Filters that are computed side by side: as many as fit the registers of most processors.
const LANES: usize = 16;

/// A [`RandomConvolutions`] whose filters are drawn.
#[derive(Debug, Clone)]
pub struct PreparedConvolutions {
    map: RandomConvolutions,
    /// Filter by filter; in each, colour by colour, row by row.
    filters: Vec<f32>,
    /// The same in blocks of [`LANES`] filters, tap by tap; the last block is filled with zeros.
    blocks: Vec<[f32; LANES]>,
    /// For each row, then each column of patches: the cell that it belongs to.
    cell_of: (Vec<usize>, Vec<usize>),
}

/// The cell of each of `positions`: nearly equal runs.
fn cells(positions: usize, cells: usize) -> Vec<usize> {
    (0..positions)
        .map(|at| ((at + 1) * cells - 1) / positions)
        .collect()
}

/// One row per cell and one column per position: the share of the position in the cell's average.
fn shares(cell_of: &[usize], cells: usize) -> Vec<f32> {
    let mut shares = vec![0.0; cells * cell_of.len()];
    for (at, &cell) in cell_of.iter().enumerate() {
        let count = cell_of.iter().filter(|&&other| other == cell).count();
        shares[cell * cell_of.len() + at] = 1.0 / count as f32;
    }
    shares
}

impl PreparedConvolutions {
    /// Draws the numbers of the first filter in their order, then those of the next.
    pub(crate) fn new(map: &RandomConvolutions) -> Self {
        let (count, taps) = (map.filters as usize, map.taps());
        let mut draws = Draws::new(map.seed);
        let mut filters = Vec::with_capacity(count * taps);
        let mut blocks = vec![[0.0; LANES]; count.div_ceil(LANES) * taps];
        for f in 0..count {
            let mut filter: Vec<f64> = (0..taps).map(|_| draws.gaussian()).collect();
            let mean = filter.iter().sum::<f64>() / taps as f64;
            filter.iter_mut().for_each(|value| *value -= mean);
            let norm = filter.iter().map(|value| value * value).sum::<f64>().sqrt();
            for (tap, value) in filter.into_iter().enumerate() {
                let value = (value / norm) as f32;
                filters.push(value);
                blocks[f / LANES * taps + tap][f % LANES] = value;
            }
        }
        let (rows, columns) = map.positions();
        let side = map.cells as usize;
        Self {
            map: map.clone(),
            filters,
            blocks,
            cell_of: (cells(rows, side), cells(columns, side)),
        }
    }

    /// What it was prepared from.
    pub fn description(&self) -> &RandomConvolutions {
        &self.map
    }

    /// The filters, as an array of filters × colours × patch rows × patch columns. A response is
    /// the sum of products with the pixels of a patch, without a flip.
    pub fn filters(&self) -> &[f32] {
        &self.filters
    }

    /// R, one row per row of cells and one column per row of patches, row after row: averages of
    /// thresholded responses U are R·U·Cᵀ, with C from [`Self::pooling_columns`].
    pub fn pooling_rows(&self) -> Vec<f32> {
        shares(&self.cell_of.0, self.map.cells as usize)
    }

    /// C, the same of columns.
    pub fn pooling_columns(&self) -> Vec<f32> {
        shares(&self.cell_of.1, self.map.cells as usize)
    }

    pub(crate) fn outputs(&self) -> usize {
        self.map.outputs()
    }

    /// A scaled row, and the pixels of one patch.
    pub(crate) fn scratch_length(&self) -> usize {
        self.map.image.pixels() + self.map.taps()
    }

    pub(crate) fn apply(&self, row: &[f32], scratch: &mut [f32], out: &mut [f32]) {
        assert_eq!(row.len(), self.map.image.pixels(), "one number per pixel");
        out.fill(0.0);
        let (scaled, patch) = scratch.split_at_mut(row.len());
        if !to_unit_range(row, scaled) {
            return;
        }
        let side = self.map.cells as usize;
        let (rows, columns) = &self.cell_of;
        for (y, &cell_y) in rows.iter().enumerate() {
            for (x, &cell_x) in columns.iter().enumerate() {
                self.cut_patch(scaled, y, x, patch);
                self.add_responses(patch, cell_y * side + cell_x, out);
            }
        }
        self.divide_by_counts(out);
        normalise(out, self.map.groups as usize);
    }

    fn cut_patch(&self, image: &[f32], y: usize, x: usize, patch: &mut [f32]) {
        let (height, width) = (
            self.map.image.height as usize,
            self.map.image.width as usize,
        );
        let side = self.map.patch as usize;
        for (at, to) in patch.chunks_exact_mut(side).enumerate() {
            let (colour, row) = (at / side, y + at % side);
            let start = (colour * height + row) * width + x;
            to.copy_from_slice(&image[start..start + side]);
        }
    }

    /// Adds the thresholded responses to one patch to the sums of its cell.
    fn add_responses(&self, patch: &[f32], cell: usize, out: &mut [f32]) {
        if patch.iter().all(|&pixel| pixel == 0.0) {
            return;
        }
        let threshold = self.map.threshold as f32;
        let cells = (self.map.cells * self.map.cells) as usize;
        let outs = out.chunks_mut(2 * LANES * cells);
        for (block, out) in self.blocks.chunks_exact(patch.len()).zip(outs) {
            let mut responses = [0.0f32; LANES];
            for (&pixel, weights) in patch.iter().zip(block) {
                for (response, weight) in responses.iter_mut().zip(weights) {
                    *response += pixel * weight;
                }
            }
            for (response, out) in responses.iter().zip(out.chunks_exact_mut(2 * cells)) {
                out[cell] += (response - threshold).max(0.0);
                out[cells + cell] += (-response - threshold).max(0.0);
            }
        }
    }

    fn divide_by_counts(&self, out: &mut [f32]) {
        let side = self.map.cells as usize;
        let count = |cells: &[usize], cell| cells.iter().filter(|&&c| c == cell).count();
        for cell in 0..side * side {
            let patches = count(&self.cell_of.0, cell / side) * count(&self.cell_of.1, cell % side);
            for sum in out[cell..].iter_mut().step_by(side * side) {
                *sum /= patches as f32;
            }
        }
    }
}
